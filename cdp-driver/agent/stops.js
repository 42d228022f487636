// Stops: where the page stands still until the driver has read what there is to read.

// Those of conditions are kept with their questions.
const stops = [];
for (let index = 0; index < config.stops.length; index++) {
  if (config.stops[index] < 2 ** 40) append(stops, config.stops[index]);
}
let nextStop = 0;
let stopAt = stops.length > 0 ? stops[0] : -1;

// The event at which the page stands.
let standing;
// Whether the page is a person's now: then nothing stops it any more.
let released = false;

// The driver finds the page stopped here, reads `event`, and lets it go on.
function stop(given) {
  // Without a prototype, for the driver also asks for what is not there.
  const event = { __proto__: null, ...given };
  if (released) return event;
  // An execution may be over with what is read here.
  if (isLogging) handOverLog();
  standing = event;
  debugger;
  standing = undefined;
  return event;
}

function reached(event) {
  nextStop++;
  stopAt = nextStop < stops.length ? stops[nextStop] : -1;
  stop({ ...event, counted: countedWrite() });
}
