// Tooltips: for pointers, fingers and arrow keys. Without this the tables hold the same numbers.
"use strict";
(() => {
  const element = (name, className, text) => {
    const made = document.createElement(name);
    if (className) made.className = className;
    if (text !== undefined) made.textContent = text;
    return made;
  };
  const tip = element("div", "tip");
  tip.setAttribute("role", "status");
  tip.hidden = true;
  document.body.append(tip);

  // What is where in a mark; places are x and y in the wide drawing, then in the narrow one.
  const [PANEL, SERIES, PLACES, X, VALUE] = [0, 1, 2, 3, 4];
  const [WIDE, NARROW] = [0, 2];

  for (const chart of document.querySelectorAll(".chart")) {
    const data = chart.querySelector("script");
    if (!data) continue;
    const { panels, marks } = JSON.parse(data.textContent);
    const spot = element("i", "spot");
    spot.hidden = true;
    chart.append(spot);
    let shown = null;

    // The drawing that is seen, and which places of a mark are in it.
    const drawing = () => {
      const wide = chart.querySelector("svg.wide");
      return wide.getClientRects().length ? [wide, WIDE] : [chart.querySelector("svg.narrow"), NARROW];
    };

    const hide = () => {
      shown = null;
      tip.hidden = spot.hidden = true;
    };

    const show = (mark) => {
      if (mark === shown) return;
      shown = mark;
      const panel = panels[mark[PANEL]];
      const same = marks.filter((other) => other[PANEL] === mark[PANEL] && other[X] === mark[X]);
      const number = (other) => parseFloat(other[VALUE]);
      same.sort((a, b) => number(b) - number(a));
      const list = element("ol");
      for (const other of same) {
        const [name, style] = panel.series[other[SERIES]];
        const line = element("li", other === mark ? "at" : "");
        const swatch = element("i", "swatch");
        swatch.style.setProperty("--c", `var(--s${style})`);
        line.append(swatch, element("span", "", name), element("b", "", other[VALUE]));
        list.append(line);
      }
      tip.replaceChildren(element("p", "", panel.x ? `${panel.x}: ${mark[X]}` : mark[X]), element("p", "", panel.y), list);
      tip.hidden = spot.hidden = false;

      const [svg, at] = drawing();
      const box = svg.getBoundingClientRect();
      const around = chart.getBoundingClientRect();
      const scale = box.width / svg.viewBox.baseVal.width;
      const [x, y] = [box.left + mark[PLACES][at] * scale, box.top + mark[PLACES][at + 1] * scale];
      spot.style.left = `${x - around.left}px`;
      spot.style.top = `${y - around.top}px`;
      const [width, height] = [tip.offsetWidth, tip.offsetHeight];
      const most = document.documentElement.clientWidth - width - 8;
      const beside = x + 18 + width < document.documentElement.clientWidth ? x + 18 : x - 18 - width;
      const left = Math.max(8, Math.min(most, beside));
      // Where there is no room at its side it must not cover the point.
      const covers = left < x + 8 && left + width > x - 8;
      const top = covers ? y - height - 16 : y - height / 2;
      tip.style.left = `${left + scrollX}px`;
      tip.style.top = `${Math.max(8, top) + scrollY}px`;
    };

    const nearest = (event) => {
      const [svg, at] = drawing();
      const box = svg.getBoundingClientRect();
      const scale = svg.viewBox.baseVal.width / box.width;
      const [x, y] = [(event.clientX - box.left) * scale, (event.clientY - box.top) * scale];
      let [best, least] = [null, 60];
      for (const mark of marks) {
        const distance = Math.hypot(mark[PLACES][at] - x, mark[PLACES][at + 1] - y);
        if (distance < least) [best, least] = [mark, distance];
      }
      return best;
    };

    const point = (event) => {
      const mark = nearest(event);
      if (mark) show(mark);
      else hide();
    };
    chart.addEventListener("pointermove", point);
    chart.addEventListener("pointerdown", point);
    chart.addEventListener("pointerleave", (event) => {
      if (event.pointerType === "mouse") hide();
    });
    chart.addEventListener("blur", hide);
    document.addEventListener("pointerdown", (event) => {
      if (!chart.contains(event.target)) hide();
    });

    // Left and right along a series, up and down from series to series.
    const step = (key) => {
      if (!shown) return marks[0];
      const beside = key === "ArrowLeft" || key === "ArrowRight";
      const row = marks.filter((mark) =>
        mark[PANEL] === shown[PANEL] && (beside ? mark[SERIES] === shown[SERIES] : mark[X] === shown[X]));
      row.sort((a, b) => a[PLACES][beside ? WIDE : WIDE + 1] - b[PLACES][beside ? WIDE : WIDE + 1]);
      const by = key === "ArrowRight" || key === "ArrowDown" ? 1 : -1;
      return row[Math.max(0, Math.min(row.length - 1, row.indexOf(shown) + by))];
    };
    chart.addEventListener("keydown", (event) => {
      if (event.key === "Escape") return hide();
      if (!event.key.startsWith("Arrow") || !marks.length) return;
      event.preventDefault();
      show(step(event.key));
    });
  }
})();
