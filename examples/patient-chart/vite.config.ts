import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

/** The server. Pages send requests to Vite, which forwards them, so that the browser uses one origin. */
const andiron = process.env.ANDIRON ?? 'http://localhost:3000';

/** The server sees the host of the page, so that its addresses for sign-in are below it. */
const proxy = { '/w': { target: andiron, changeOrigin: false } };

export default defineConfig({
  plugins: [react()],
  server: { proxy },
  preview: { proxy },
});
