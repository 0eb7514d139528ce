import type { Box } from '../../graph/labels-and-sizes.js';

interface Size {
  readonly width: number;
  readonly height: number;
}

interface Viewport {
  readonly x: number;
  readonly y: number;
  readonly zoom: number;
}

/** The smallest zoom at which texts are still legible. */
const leastZoom = 0.6;
/** The free space around a drawing. */
export const margin = 16;
/** The width of the zoom buttons, beside the drawing where that fits. */
const controls = 44;

/** The zoom at which a drawing is as wide as the view, as far as it is legible. */
export function zoomToWidth({ width }: Size, view: Size): number {
  return Math.min(1, Math.max(leastZoom, (view.width - margin - controls) / width));
}

/** The zoom at which the whole drawing is in view; if it is not legible then, the one for its width. */
export function openingZoom(drawing: Size, view: Size): number {
  const whole = Math.min(zoomToWidth(drawing, view), (view.height - margin) / drawing.height);
  return whole >= leastZoom ? whole : zoomToWidth(drawing, view);
}

/** Shows the whole drawing in the middle; along a side on which it does not fit, the node in focus, or else the start. */
export function viewportOf(drawing: Size, zoom: number, view: Size, focus: Box | undefined): Viewport {
  const from = (length: number, visible: number, middle: number) =>
    length <= visible ? (visible - length) / 2 : Math.min(0, Math.max(visible - length, visible / 2 - middle));
  const [x, y] = focus ? [focus.x + focus.width / 2, focus.y + focus.height / 2] : [0, 0];
  return {
    zoom,
    x: from(drawing.width * zoom, view.width - controls, x * zoom),
    y: from(drawing.height * zoom, view.height, y * zoom),
  };
}

/** The sides on which the drawing continues outside the view. */
export function hiddenSides(drawing: Size, { x, y, zoom }: Viewport, view: Size) {
  return {
    top: y < 0,
    left: x < 0,
    right: x + drawing.width * zoom > view.width,
    bottom: y + drawing.height * zoom > view.height,
  };
}
