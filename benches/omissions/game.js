// A small game: entities, collisions, levels.
const world = { entities: [], score: 0, level: 0, paused: true, events: [] };
class Entity {
  constructor(x) {
    this.x = x;
    this.alive = true;
  }
  update() {}
}
class Enemy extends Entity {
  update() {
    if (world.paused) return; // stepped: return
    this.x -= 1; // why: stepped
  }
}
class Coin extends Entity {
  collect() {
    world.score += 1; // why: collected
  }
}
function collide(a, b) {
  if (a.x === b.x && b.alive) { // collected: branch
    b.collect();
  }
}
function levelUp() {
  const needed = levels[world.level + 1].score; // levelled: exception
  if (world.score >= needed) world.level += 1; // why: levelled
}
const levels = [{ score: 0 }];
function spawn(kinds) {
  for (const kind in kinds) { // spawned: loop
    world.entities.push(new Enemy(kind)); // why: spawned
  }
}
function tick() {
  for (const entity of world.entities) entity.update();
  do {
    if (world.score === 0) break; // scored: branch
    world.events.push("score"); // why: scored
  } while (false);
  try { levelUp(); } catch { world.events.push("error"); }
}
const player = new Entity(0);
spawn({});
world.entities.push(new Enemy(5));
collide(player, new Coin(3));
tick();
