(function () {
  'use strict';

  const byId = (id) => document.getElementById(id);
  const canvas = byId('canvas');
  const ctx = canvas.getContext('2d');
  const sliders = { red: byId('red'), green: byId('green'), blue: byId('blue') };

  const tools = {
    pencil: { name: 'pencil', color: '#c80000', width: 2 },
    line: { name: 'line', color: '#c80000', width: 3 },
    eraser: { name: 'eraser', color: '#ffffff', width: 16 },
  };
  const painting = [];
  let tool = tools.pencil;
  let start = null;

  function hex(value) {
    return Number(value).toString(16).padStart(2, '0');
  }

  function mixColor() {
    const red = sliders.red.value;
    const green = sliders.green.value;
    const blue = sliders.green.value;
    return '#' + hex(red) + hex(green) + hex(blue);
  }

  function colorMoved() {
    for (const tool of [tools.pencil, tools.line]) {
      tool.color = mixColor();
    }
    byId('sample').style.color = tools.pencil.color;
  }

  function drawStroke(stroke) {
    ctx.lineCap = 'round';
    ctx.lineWidth = stroke.width;
    ctx.strokeStyle = stroke.color;
    ctx.beginPath();
    ctx.moveTo(stroke.from.x, stroke.from.y);
    ctx.lineTo(stroke.to.x, stroke.to.y);
    ctx.stroke();
  }

  function addStroke(from, to) {
    const stroke = {
      from,
      to,
      color: tool.color,
      width: tool.width,
    };
    painting.push(stroke);
    drawStroke(stroke);
  }

  function place(event) {
    return { x: event.offsetX, y: event.offsetY };
  }

  canvas.addEventListener('mousedown', (event) => {
    if (tool !== tools.line) {
      start = place(event);
      addStroke(start, start);
    }
  });

  canvas.addEventListener('mousemove', (event) => {
    if (tool !== tools.line && event.buttons === 1 && start) {
      const here = place(event);
      addStroke(start, here);
      start = here;
    }
  });

  // A line is drawn with two clicks, one for each end.
  canvas.addEventListener('click', (event) => {
    if (tool !== tools.line) {
      start = null;
    } else if (start) {
      addStroke(start, place(event));
      start = null;
    } else {
      start = place(event);
    }
  });

  for (const name of Object.keys(sliders)) {
    sliders[name].addEventListener('input', colorMoved);
  }
  for (const name of Object.keys(tools)) {
    byId(name).addEventListener('click', () => {
      tool = tools[name];
      start = null;
    });
  }
})();
