// The texts of inline SVG figures that stand out too little from what is drawn beneath them, since
// axe does not look at them. WCAG's formula; 4.5, or 3 for large text.
(() => {
  const canvas = document.createElement("canvas");
  canvas.width = canvas.height = 1;
  const pen = canvas.getContext("2d", { willReadFrequently: true });
  const over = (layers) => {
    pen.globalAlpha = 1;
    pen.clearRect(0, 0, 1, 1);
    for (const [color, opacity] of layers) {
      pen.globalAlpha = opacity;
      pen.fillStyle = color;
      pen.fillRect(0, 0, 1, 1);
    }
    return [...pen.getImageData(0, 0, 1, 1).data].slice(0, 3);
  };
  const luminance = (rgb) =>
    rgb
      .map((part) => part / 255)
      .map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4))
      .reduce((sum, part, i) => sum + part * [0.2126, 0.7152, 0.0722][i], 0);
  const contrast = (a, b) => {
    const [dark, light] = [luminance(a), luminance(b)].sort((p, q) => p - q);
    return (light + 0.05) / (dark + 0.05);
  };
  const opacity = (element, part) => {
    let value = Number(getComputedStyle(element)[part]);
    for (let e = element; e && e.tagName !== "HTML"; e = e.parentElement) {
      value *= Number(getComputedStyle(e).opacity);
    }
    return value;
  };
  const faint = [];
  for (const text of document.querySelectorAll("svg text")) {
    const box = text.getBoundingClientRect();
    if (!box.width || !text.textContent.trim()) continue;
    const x = box.x + box.width / 2;
    const y = box.y + box.height / 2;
    const layers = [[getComputedStyle(document.body).backgroundColor, 1]];
    for (let e = text.closest("svg"), stack = []; e; e = e.parentElement) {
      stack.unshift([getComputedStyle(e).backgroundColor, 1]);
      if (!e.parentElement) layers.push(...stack);
    }
    for (const shape of text.closest("svg").querySelectorAll("rect, path, circle, ellipse, polygon")) {
      if (!(shape.compareDocumentPosition(text) & Node.DOCUMENT_POSITION_FOLLOWING)) continue;
      const area = shape.getBoundingClientRect();
      const fill = getComputedStyle(shape).fill;
      const covers = area.x <= x && x <= area.right && area.y <= y && y <= area.bottom;
      if (covers && fill !== "none") layers.push([fill, opacity(shape, "fillOpacity")]);
    }
    const style = getComputedStyle(text);
    const beneath = over(layers);
    const ink = over([...layers, [style.fill, opacity(text, "fillOpacity")]]);
    const large = parseFloat(style.fontSize) >= 24;
    const found = contrast(ink, beneath);
    if (found < (large ? 3 : 4.5)) faint.push(`${text.textContent.trim()}: ${found.toFixed(2)}`);
  }
  return faint;
})()
