// A canvas in CSS pixels, sharp on every screen.

export function surface(element) {
  const context = element.getContext("2d");
  return function begin() {
    const ratio = Math.min(devicePixelRatio || 1, 2);
    const [width, height] = [element.clientWidth, element.clientHeight];
    const [w, h] = [Math.round(width * ratio), Math.round(height * ratio)];
    if (element.width !== w || element.height !== h) { element.width = w; element.height = h; }
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.clearRect(0, 0, width, height);
    return { context, width, height };
  };
}
