// Runs at the end of a copy of report.html and leaves what it finds in the page, for the test that reads the DOM.
"use strict";
addEventListener("load", () => {
  const errors = window.errorsOfThePage;

  // What is seen of each piece of text: a rectangle for each line of it, cut by whatever cuts it.
  const pieces = () => {
    const found = [];
    const walker = document.createTreeWalker(document.querySelector("main"), NodeFilter.SHOW_TEXT);
    const range = document.createRange();
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      const element = node.parentElement;
      if (!node.data.trim() || element.closest("script, title") || !element.checkVisibility()) continue;
      // The rim of a text is a copy of the text below it.
      if (element.closest("text")?.hasAttribute("stroke")) continue;
      const svg = element.closest("svg");
      let clip = [-Infinity, -Infinity, Infinity, Infinity];
      for (let around = element; around && !svg; around = around.parentElement) {
        if (around.matches(".scroll, pre") || getComputedStyle(around).overflowX === "hidden") {
          const box = around.getBoundingClientRect();
          clip = [Math.max(clip[0], box.left), Math.max(clip[1], box.top), Math.min(clip[2], box.right), Math.min(clip[3], box.bottom)];
        }
      }
      range.selectNodeContents(node);
      const boxes = svg ? [element.getBoundingClientRect()] : range.getClientRects();
      for (const box of boxes) {
        // Fonts reserve more height than letters take.
        const slack = box.height * 0.18;
        const rectangle = [Math.max(box.left + 1, clip[0]), Math.max(box.top + slack, clip[1]), Math.min(box.right - 1, clip[2]), Math.min(box.bottom - slack, clip[3])];
        if (rectangle[0] < rectangle[2] && rectangle[1] < rectangle[3]) found.push({ node, element, text: node.data.trim().slice(0, 60), rectangle });
      }
    }
    return found;
  };

  const overlaps = (found) => {
    const sorted = [...found].sort((a, b) => a.rectangle[1] - b.rectangle[1]);
    const together = [];
    sorted.forEach((a, index) => {
      for (const b of sorted.slice(index + 1)) {
        if (b.rectangle[1] >= a.rectangle[3]) break;
        // A text that an ellipsis cuts has a rectangle for each of its two forms.
        if (a.node === b.node && a.rectangle[1] === b.rectangle[1]) continue;
        const apart = a.rectangle[0] >= b.rectangle[2] || b.rectangle[0] >= a.rectangle[2];
        if (!apart) together.push(`${a.text} | ${b.text}`);
      }
    });
    return together;
  };

  const outside = (found) => found.filter(({ rectangle }) => rectangle[0] < -1 || rectangle[2] > innerWidth + 1).map(({ text }) => text);

  // Contrast by WCAG of text and what is painted behind it.
  const channels = (colour) => {
    const numbers = colour.match(/[\d.]+/g)?.map(Number) ?? [];
    return numbers.length === 3 ? [...numbers, 1] : numbers;
  };
  const luminance = (colour) => {
    const [red, green, blue] = colour.slice(0, 3).map((part) => part / 255).map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  };
  const ground = (element) => {
    // On a bar: the last opaque shape below the middle of the text.
    const box = element.getBoundingClientRect();
    const [x, y] = [(box.left + box.right) / 2, (box.top + box.bottom) / 2];
    const bars = [...(element.closest("svg")?.querySelectorAll("polygon:not([fill-opacity])") ?? [])].filter((bar) => {
      const around = bar.getBoundingClientRect();
      const before = bar.compareDocumentPosition(element) & Node.DOCUMENT_POSITION_FOLLOWING;
      return before && around.left <= x && x <= around.right && around.top <= y && y <= around.bottom;
    });
    if (bars.length) return channels(getComputedStyle(bars.at(-1)).fill);
    for (let around = element; around; around = around.parentElement) {
      const colour = channels(getComputedStyle(around).backgroundColor);
      if (colour[3] === 1) return colour;
    }
    return [255, 255, 255, 1];
  };
  const contrast = ({ element }) => {
    const style = getComputedStyle(element);
    const [text, behind] = [luminance(channels(element.closest("svg") ? style.fill : style.color)), luminance(ground(element))];
    return (Math.max(text, behind) + 0.05) / (Math.min(text, behind) + 0.05);
  };
  const faint = (found) => found.filter((piece) => contrast(piece) < 4.5).map((piece) => `${piece.text}: ${contrast(piece).toFixed(2)}`);

  // Each chart is pointed at, and walked through by keys.
  const tooltips = () => {
    const tip = document.querySelector(".tip");
    return [...document.querySelectorAll(".chart")].filter((chart) => chart.querySelector("script")).map((chart) => {
      const { panels, marks } = JSON.parse(chart.querySelector("script").textContent);
      const wide = chart.querySelector("svg.wide").checkVisibility();
      const svg = chart.querySelector(wide ? "svg.wide" : "svg.narrow");
      const mark = marks[Math.floor(marks.length / 2)];
      const problems = [];
      const expect = (what, holds) => holds || problems.push(what);
      expect("marks", marks.length > 0);
      if (!mark) return problems;
      const box = svg.getBoundingClientRect();
      const scale = box.width / svg.viewBox.baseVal.width;
      const at = wide ? 0 : 2;
      const [x, y] = mark[2].slice(at, at + 2);
      const there = { clientX: box.left + x * scale, clientY: box.top + y * scale, bubbles: true };
      chart.dispatchEvent(new PointerEvent("pointermove", there));
      const named = tip.textContent;
      expect("shown", tip.checkVisibility());
      expect("which series", named.includes(panels[mark[0]].series[mark[1]][0]));
      expect("its value", named.includes(mark[4]));
      const shown = tip.getBoundingClientRect();
      expect("inside the window", shown.left >= 0 && shown.right <= innerWidth);
      const spot = chart.querySelector(".spot").getBoundingClientRect();
      const [middle, height] = [(spot.left + spot.right) / 2, (spot.top + spot.bottom) / 2];
      expect("the spot at a point", marks.some((other) => {
        const place = other[2].slice(at, at + 2);
        return Math.hypot(box.left + place[0] * scale - middle, box.top + place[1] * scale - height) < 2;
      }));
      chart.dispatchEvent(new PointerEvent("pointerleave", { pointerType: "mouse" }));
      expect("gone with the pointer", !tip.checkVisibility());
      chart.dispatchEvent(new KeyboardEvent("keydown", { key: "ArrowRight" }));
      expect("shown by a key", tip.checkVisibility());
      for (const key of ["ArrowRight", "ArrowDown", "ArrowLeft", "ArrowUp"]) chart.dispatchEvent(new KeyboardEvent("keydown", { key }));
      chart.dispatchEvent(new KeyboardEvent("keydown", { key: "Escape" }));
      expect("gone by Escape", !tip.checkVisibility());
      return problems;
    });
  };

  const closed = pieces();
  const shownTooltips = tooltips();
  for (const details of document.querySelectorAll("details")) details.open = true;
  const all = pieces();
  const findings = {
    errors,
    pieces: all.length,
    width: innerWidth,
    scroll_width: document.documentElement.scrollWidth,
    dark: matchMedia("(prefers-color-scheme: dark)").matches,
    requests: performance.getEntriesByType("resource").map((entry) => entry.name),
    overlaps: [...overlaps(closed), ...overlaps(all)],
    outside: outside(all),
    faint: [...new Set(faint(all))],
    tooltips: shownTooltips,
    title: document.title,
  };
  const left = document.createElement("pre");
  left.id = "findings";
  left.textContent = btoa(String.fromCharCode(...new TextEncoder().encode(JSON.stringify(findings))));
  document.body.append(left);
});
