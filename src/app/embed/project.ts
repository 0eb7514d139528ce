/** The project whose configuration and journeys are used. */
export interface ProjectOptions {
  /** Its folder, with `journeyman.config.yaml` if it has one; by default the working directory. */
  readonly folder?: string;
  /** Another configuration file, relative to the folder. */
  readonly config?: string;
}
