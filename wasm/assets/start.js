import start from './panel.js';

start({ module_or_path: './panel_bg.wasm' });
