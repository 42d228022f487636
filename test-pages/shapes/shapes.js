'use strict';

const SHEET_WIDTH = 8;

class Shape {
  area;
  perimeter;

  constructor(name) {
    this.name = name;
  }

  fitTo(width) {
    if (this.width() > width) {
      this.scale(width / this.width());
    }
  }
}

class Rectangle extends Shape {
  constructor(sideA, sideB) {
    super('rectangle');
    this.sideA = sideA;
    this.sideB = sideB;
  }

  width() {
    return this.sideA;
  }

  scale(factor) {
    this.sideA = this.sideA * factor;
    this.sideB = this.sideB * factor;
  }

  measure() {
    this.area = this.sideA * this.sideB;
    this.perimeter = 2 * (this.sideA + this.sideB);
  }
}

class Square extends Rectangle {
  constructor(side) {
    super(side, side);
    this.name = 'square';
  }
}

class Circle extends Shape {
  radius = 1;

  constructor(radius) {
    super('circle');
    this.radius = radius;
  }

  width() {
    return 2 * this.radius;
  }

  scale(factor) {
    this.radius *= factor;
  }

  measure() {
    this.area = Math.PI * this.radius ** 2;
    this.perimeter = 2 * Math.PI * this.radius;
  }
}

/** A triangle with two equal sides. */
class Triangle extends Shape {
  constructor(base, height) {
    super('triangle');
    this.base = base;
    this.height = height;
  }

  width() {
    return this.base;
  }

  scale(factor) {
    this.base = this.base * factor;
    this.height = this.height * Math.floor(factor);
  }

  measure() {
    const side = Math.hypot(this.base / 2, this.height);
    this.area = this.base * this.height / 2;
    this.perimeter = this.base + 2 * side;
  }
}

const shapes = [
  new Rectangle(4, 3),
  new Circle(5),
  new Triangle(10, 6),
  new Square(2),
];

function addRow(...cells) {
  const row = document.getElementById('rows').insertRow();
  for (const text of cells) {
    row.insertCell().textContent = text;
  }
}

function printAll() {
  let total = 0;
  for (const shape of shapes) {
    total += shape.area;
    addRow(shape.name, shape.area.toFixed(2), shape.perimeter.toFixed(2));
  }
  document.getElementById('total').textContent = total.toFixed(2);
}

function measureAll() {
  for (const shape of shapes) {
    shape.measure();
    shape.fitTo(SHEET_WIDTH);
    shape.measure();
  }
  printAll();
}

document.getElementById('measure').addEventListener('click', measureAll);
