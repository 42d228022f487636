import type { Sprint } from './sprint';

export interface Card {
  title: string;
  points: number;
  column: string;
}

export interface Load {
  points: number;
  capacity: number;
  percent: number;
}

/** How much of the sprint's capacity the cards take. */
export function measureLoad(cards: Card[], sprint: Sprint): Load {
  const load: Load = { points: 0, capacity: 0, percent: 0 };
  for (const { points, column } of cards) {
    if (column !== 'later') {
      load.points += points;
    }
  }
  load.capacity = sprint.capacity;
  load.percent = Math.round((100 * load.points) / load.capacity);
  return load;
}
