// The developer tools are open: they get our panel. All it does is in index.html, which `wasm/` is compiled for.
chrome.devtools.panels.create('Querypoint', '', 'index.html');
