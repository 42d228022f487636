'use strict';
class Job {
  constructor(name, priority, ticks) {
    this.name = name;
    this.priority = priority;
    this.ticks = ticks;
    this.state = 'waiting';
  }
}
const before = (one, other) => one.priority > other.priority;
function place(waiting, job) {
  const at = waiting.findIndex((it) => before(job, it));
  return at < 0 ? waiting.length : at;
}
function ticking(job) {
  let done = Promise.resolve();
  for (let tick = 0; tick < job.ticks; tick++) done = done.then(() => undefined);
  return done;
}
class Queue {
  waiting = [];
  running = new Set();
  finished = [];
  most = 0;
  constructor(limit) {
    this.limit = limit;
  }
  add(job) {
    this.waiting.splice(place(this.waiting, job), 0, job);
    this.start();
  }
  hasRoom() {
    return this.running.size < this.limit;
  }
  start() {
    while (this.hasRoom() && this.waiting.length > 0) this.run(this.waiting.shift());
  }
  run(job) {
    job.state = 'running';
    this.running.add(job);
    this.most = Math.max(this.most, this.running.size);
    ticking(job).then(() => this.end(job));
  }
  end(job) {
    job.state = 'finished';
    this.running.delete(job);
    this.finished.push(job.name);
    this.start();
  }
}
const queue = new Queue(2);
const jobs = [['mail', 1, 4], ['page', 3, 2], ['log', 0, 1], ['save', 3, 3], ['font', 2, 1]];
jobs.push(['sync', 2, 2], ['lint', 1, 2], ['idle', 0, 1]);
for (const [name, priority, ticks] of jobs) queue.add(new Job(name, priority, ticks));
const report = { queue, started: queue.waiting.map((job) => job.name) };
setTimeout(() => {
  report.finished = [...queue.finished];
}, 20);
