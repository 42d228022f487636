// What only a module can ask.
import * as self from './module.js';
export let value = 1;
value = 2;
export default () => { value = 3; };
say('module', import.meta.url.replace(/https?:\/\/[^/]*/, ''), Object.keys(import.meta).join(), document.currentScript, this);
say('namespace', Object.keys(self).join(), self.value, self.default.name, String(self.default), (self.default(), self.value));
say('text', (() => { value = 4; }).toString());
const entries = await new Promise((told) => {
  addEventListener('load', () => setTimeout(() => told(performance.getEntries())));
});
say('performance', entries.filter((entry) => ['navigation', 'resource'].includes(entry.entryType))
  .map((entry) => [entry.entryType, entry.name.replace(/.*\//, ''), entry.initiatorType, entry.responseStatus, entry.contentType, entry.redirectCount, entry.serverTiming.length, entry.renderBlockingStatus, Object.keys(entry.toJSON()).join()].join(' ')).sort().join(', '));
say('elements', document.documentElement.outerHTML);
say('digests', [...document.querySelectorAll('[integrity]')].map((element) => element.outerHTML).join());
const copy = document.importNode(document.getElementById('template').content, true);
document.body.append(copy);
document.querySelector('b').click();
say('template', probe.value, document.getElementById('template').outerHTML, document.querySelector('b').outerHTML, document.body.lastElementChild.outerHTML);
say('svg', document.getElementById('svg').outerHTML);
say('handlers', document.getElementById('button').getAttribute('onclick'), document.getElementById('button').onclick);
document.getElementById('button').click();
say('attributes', new XMLSerializer().serializeToString(document.body).length, document.getElementById('inline').text, document.getElementById('inline').textContent.length,
  document.querySelector('script[type=module]').innerHTML);
probe.value = 1;
done();
