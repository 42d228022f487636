'use strict';

const stage = document.getElementById('stage');
const context = stage.getContext('2d');

const circle = { x: 200, y: 150, radius: 80 };
const change = { factor: 1, dx: 0, dy: 0 };
let wildness = 0.4;

function draw() {
  context.clearRect(0, 0, stage.width, stage.height);
  context.beginPath();
  context.arc(circle.x, circle.y, circle.radius, 0, 2 * Math.PI);
  context.stroke();
}

function pickFactor() {
  // From 1.1 downwards; the wilder, the smaller the circle may become.
  change.factor = 1.1 - Math.random() * wildness;
}

function scale() {
  pickFactor();
  circle.radius = circle.radius * change.factor;
}

function move() {
  change.dx = (Math.random() - 0.5) * 20;
  change.dy = (Math.random() - 0.5) * 20;
  circle.x += change.dx;
  circle.y += change.dy;
}

function tick() {
  wildness += 0.05;
  if (Math.random() < 0.5) {
    scale();
  } else {
    move();
  }
  draw();
  setTimeout(tick, 8);
}

document.getElementById('start').addEventListener('click', tick);
