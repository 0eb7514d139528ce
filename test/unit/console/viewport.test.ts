import { describe, expect, it } from 'vitest';
import { hiddenSides, openingZoom, viewportOf } from '../../../src/console/graph/viewport.js';

const view = { width: 860, height: 700 };
const none = { top: false, left: false, right: false, bottom: false };

describe('the part of a graph that a page opens with', () => {
  it('is the whole graph if its texts are legible then', () => {
    const drawing = { width: 600, height: 1000 };
    const zoom = openingZoom(drawing, view);
    expect(zoom).toBeCloseTo(0.684);
    expect(hiddenSides(drawing, viewportOf(drawing, zoom, view, undefined), view)).toEqual(none);
  });

  it('is not enlarged', () => {
    expect(openingZoom({ width: 100, height: 100 }, view)).toBe(1);
  });

  it('is the top with the start node of a long graph', () => {
    const drawing = { width: 1000, height: 4000 };
    const zoom = openingZoom(drawing, view);
    expect(zoom).toBe(0.8);
    const viewport = viewportOf(drawing, zoom, view, { x: 450, y: 10, width: 100, height: 30 });
    expect(viewport.y).toBe(0);
    expect(hiddenSides(drawing, viewport, view)).toEqual({ ...none, bottom: true });
  });

  it('has the node in focus in its middle', () => {
    const drawing = { width: 1000, height: 4000 };
    const viewport = viewportOf(drawing, 0.8, view, { x: 450, y: 1985, width: 100, height: 30 });
    expect(viewport.y + 2000 * 0.8).toBe(350);
    expect(hiddenSides(drawing, viewport, view)).toEqual({ ...none, top: true, bottom: true });
  });
});
