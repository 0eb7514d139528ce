const paths = {
  home: 'M4 11 12 4l8 7v8a1 1 0 0 1-1 1h-4v-6h-6v6H5a1 1 0 0 1-1-1z',
  inbox: 'M4 13 6.5 5h11L20 13v6H4zM4 13h4.5l1.2 2.5h4.6L15.5 13H20',
  runs: 'M5 6h14M5 12h14M5 18h9',
  journeys:
    'M6 6h6a3 3 0 0 1 3 3v6a3 3 0 0 0 3 3M6 6m-2 0a2 2 0 1 0 4 0 2 2 0 1 0-4 0M18 18m-2 0a2 2 0 1 0 4 0 2 2 0 1 0-4 0',
  schedules: 'M5 6h14v14H5zM5 10h14M9 3.5v4M15 3.5v4',
  jobs: 'M12 4a8 8 0 1 0 0 16 8 8 0 0 0 0-16zM12 8v4.5l3 2',
  pipelines: 'M4 7h6v4H4zM14 13h6v4h-6zM10 9h3a2 2 0 0 1 2 2v2',
  playground: 'M8 5v14l11-7z',
  sun: 'M12 8a4 4 0 1 0 0 8 4 4 0 0 0 0-8zM12 3v2M12 19v2M3 12h2M19 12h2M5.6 5.6 7 7M17 17l1.4 1.4M18.4 5.6 17 7M7 17l-1.4 1.4',
  moon: 'M19 14.5A7.5 7.5 0 0 1 9.5 5a7.5 7.5 0 1 0 9.5 9.5z',
  leave: 'M10 5H5v14h5M14 8l4 4-4 4M18 12H9',
  outside: 'M9 6H5v13h13v-4M13 5h6v6M19 5l-9 9',
} as const;

/** Name of an icon. */
export type IconName = keyof typeof paths;

/** A decorative icon; its control has a name of its own. */
export function Icon({ name }: { readonly name: IconName }) {
  return (
    <svg width="18" height="18" viewBox="0 0 24 24" fill="none" aria-hidden="true" focusable="false">
      <path d={paths[name]} stroke="currentColor" strokeWidth="1.8" strokeLinecap="round" strokeLinejoin="round" />
    </svg>
  );
}
