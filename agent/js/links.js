// `javascript:` URLs of links and forms, and those that `open` is given. The code is replaced while a click on the
// link or the form's submission is handled, and put back by its first line, or, if nothing follows it, in a task of its
// own.

import { apply, Event, HTMLFormElement, realm, setTimeout, SubmitEvent } from './captured.js';
import { append } from './basics.js';
import { listen } from './listeners.js';
import { hand, once } from './code.js';
import { putBackBefore } from './document_text.js';
import {
  accessor, ELEMENT, replaceMember, replacesMarkup, exec, getAttribute, hasAttribute, localName, protoOf, setAttribute,
  typeOf,
} from './nodes.js';

if (replacesMarkup) {
  const { composedPath } = protoOf(Event);
  const soon = setTimeout;
  const put = setAttribute;
  const read = getAttribute;
  // As the browser reads it: without white space before it and line breaks inside.
  const SCHEME = /^[\0- ]*j[\t\n\r]*a[\t\n\r]*v[\t\n\r]*a[\t\n\r]*s[\t\n\r]*c[\t\n\r]*r[\t\n\r]*i[\t\n\r]*p[\t\n\r]*t[\t\n\r]*:/i;
  /** @type {{ link: PageObject, name: string, address: string, ours: string }[]} */
  let followed = [];

  const putLinksBack = () => {
    const links = followed;
    followed = [];
    for (let index = 0; index < links.length; index++) {
      const { link, name, address, ours } = links[index];
      if (apply(read, link, [name]) === ours) apply(put, link, [name, address]);
    }
  };
  // What the code of a `javascript:` URL becomes: undefined if it stays.
  /** @param {PageValue} address */
  const replacedUrl = (address) => {
    if (typeof address !== 'string' || apply(exec, SCHEME, [address]) === null) return undefined;
    const at = realm.location.href;
    const ours = once('javascript:', address, () => hand({ kind: 'url', place: at, text: address, code: undefined }));
    return ours ?? undefined;
  };
  /** @param {PageObject} link @param {string} name */
  const replaceUrlOf = (link, name) => {
    const address = apply(read, link, [name]);
    const ours = replacedUrl(address);
    if (ours === undefined) return;
    apply(put, link, [name, ours]);
    append(followed, { link, name, address: /** @type {string} */ (address), ours });
    apply(soon, realm, [putLinksBack, 0]);
  };
  /** @param {Event} event */
  const replaceLink = (event) => {
    putLinksBack();
    const path = apply(composedPath, event, []);
    for (let index = 0; index < path.length; index++) {
      const link = path[index];
      if (typeOf(link) !== ELEMENT) continue;
      const kind = apply(localName, link, []);
      if (kind !== 'a' && kind !== 'area') continue;
      replaceUrlOf(link, apply(hasAttribute, link, ['href']) ? 'href' : 'xlink:href');
      return;
    }
  };
  const submitterOf = accessor(protoOf(SubmitEvent), 'submitter').get;
  /** @param {Event} event */
  const replaceAction = (event) => {
    putLinksBack();
    const form = apply(composedPath, event, [])[0];
    if (typeOf(form) !== ELEMENT || apply(localName, form, []) !== 'form') return;
    let submitter = null;
    try {
      submitter = apply(submitterOf, event, []);
    } catch { /* an event that a script made */ }
    if (submitter !== null && apply(hasAttribute, submitter, ['formaction'])) replaceUrlOf(submitter, 'formaction');
    else replaceUrlOf(form, 'action');
  };
  replaceMember(protoOf(HTMLFormElement), 'submit', (original) => ({
    /** @param {...unknown} values */
    submit(...values) {
      if (typeOf(this) === ELEMENT && apply(localName, this, []) === 'form') replaceUrlOf(this, 'action');
      try {
        return apply(original, this, values);
      } finally {
        putLinksBack();
      }
    },
  }).submit);
  replaceMember(realm, 'open', (original) => ({
    /** @param {...unknown} values */
    open(...values) {
      if (values.length > 0) values[0] = replacedUrl(values[0]) ?? values[0];
      return apply(original, this, values);
    },
  }).open);
  listen(realm, 'click', replaceLink, { __proto__: null, capture: true });
  listen(realm, 'auxclick', replaceLink, { __proto__: null, capture: true });
  listen(realm, 'submit', replaceAction, { __proto__: null, capture: true });
  putBackBefore(putLinksBack);
}
