probe.value = 'digest'; say(document.currentScript.integrity, document.currentScript.outerHTML);
