// Links to `javascript:` URLs: the code is exchanged while a click on the link is handled, and put back by its first line,
// or, if nothing follows the link, in a task of its own.

{
  const { composedPath } = Event.prototype;
  const soon = setTimeout;
  const put = setAttribute;
  const read = getAttribute;
  // As the browser reads it: without white space before it and line breaks inside.
  const SCHEME = /^[\0- ]*j[\t\n\r]*a[\t\n\r]*v[\t\n\r]*a[\t\n\r]*s[\t\n\r]*c[\t\n\r]*r[\t\n\r]*i[\t\n\r]*p[\t\n\r]*t[\t\n\r]*:/i;
  let followed = [];

  const putLinksBack = () => {
    const links = followed;
    followed = [];
    for (let index = 0; index < links.length; index++) {
      const { link, name, address, ours } = links[index];
      if (apply(read, link, [name]) === ours) apply(put, link, [name, address]);
    }
  };
  const exchangeLink = (event) => {
    putLinksBack();
    const path = apply(composedPath, event, []);
    for (let index = 0; index < path.length; index++) {
      const link = path[index];
      if (typeOf(link) !== ELEMENT) continue;
      const kind = apply(localName, link, []);
      if (kind !== 'a' && kind !== 'area') continue;
      const name = apply(hasAttribute, link, ['href']) ? 'href' : 'xlink:href';
      const address = apply(read, link, [name]);
      if (address === null || apply(exec, SCHEME, [address]) === null) continue;
      const at = realm.location.href;
      const ours = once('javascript:', address, () => hand({ kind: 'url', place: at, text: address, code: undefined }));
      if (ours !== null) {
        apply(put, link, [name, ours]);
        append(followed, { link, name, address, ours });
        apply(soon, realm, [putLinksBack, 0]);
      }
      return;
    }
  };
  listen(realm, 'click', exchangeLink, { __proto__: null, capture: true });
  listen(realm, 'auxclick', exchangeLink, { __proto__: null, capture: true });
  putBackBefore(putLinksBack);
}
