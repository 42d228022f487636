import vue from '@vitejs/plugin-vue';
import { defineConfig } from 'vite';

export default defineConfig({
  base: './',
  plugins: [vue()],
  build: {
    sourcemap: true,
    modulePreload: false,
    rollupOptions: {
      output: { entryFileNames: 'board.js', assetFileNames: '[name][extname]' },
    },
  },
});
