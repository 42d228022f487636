export interface Person {
  name: string;
  absent: number;
}

export interface Sprint {
  days: number;
  capacity: number;
}

const POINTS_PER_DAY = 2;

/** How much a team can do in some days, in points. */
export function planSprint(days: number, team: Person[]): Sprint {
  let absent = 0;
  for (const person of team) {
    absent += person.absent;
  }
  return {
    days,
    capacity: (days - absent) * POINTS_PER_DAY,
  };
}
