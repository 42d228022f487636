'use strict';
class Clock {
  now = 0;
  timers = [];
  after(ticks, wake) {
    this.timers.push({ at: this.now + ticks, wake });
  }
  due() {
    const due = this.timers.filter((timer) => timer.at <= this.now);
    this.timers = this.timers.filter((timer) => timer.at > this.now);
    return due;
  }
  tick() {
    this.now++;
    for (const timer of this.due()) timer.wake();
  }
}
const sleep = (ticks) => ({ kind: 'sleep', ticks });
const send = (channel, value) => ({ kind: 'send', channel, value });
const receive = (channel) => ({ kind: 'receive', channel });
class Scheduler {
  clock = new Clock();
  channels = new Map();
  ready = [];
  start(task) {
    this.ready.push([task, undefined]);
  }
  channel(name) {
    if (!this.channels.has(name)) this.channels.set(name, { values: [], waiting: [] });
    return this.channels.get(name);
  }
  handle(task, wish) {
    const channel = this.channel(wish.channel);
    switch (wish.kind) {
      case 'sleep':
        return this.clock.after(wish.ticks, () => this.ready.push([task, undefined]));
      case 'send':
        this.deliver(channel, wish.value);
        return this.ready.push([task, undefined]);
      case 'receive':
        return this.take(channel, task);
    }
  }
  deliver(channel, value) {
    if (channel.waiting.length > 0) this.ready.push([channel.waiting.shift(), value]);
    else channel.values.push(value);
  }
  take(channel, task) {
    if (channel.values.length > 0) this.ready.push([task, channel.values.shift()]);
    else channel.waiting.push(task);
  }
  step() {
    const [task, value] = this.ready.shift();
    const { done, value: wish } = task.next(value);
    if (!done) this.handle(task, wish);
  }
  run(ticks) {
    for (let tick = 0; tick < ticks; tick++) {
      while (this.ready.length > 0) this.step();
      this.clock.tick();
    }
  }
}
const lines = [];
const scheduler = new Scheduler();
function* producer(name, pause, count) {
  for (let number = 1; number <= count; number++) {
    yield sleep(pause);
    yield send('line', `${name}${number}`);
  }
}
function* consumer(name) {
  while (true) {
    const value = yield receive('line');
    lines.push(`${scheduler.clock.now} ${name} ${value}`);
    yield sleep(2);
  }
}
for (const task of [producer('a', 1, 4), producer('b', 2, 2), consumer('x'), consumer('y')]) scheduler.start(task);
scheduler.run(9);
const report = { lines };
