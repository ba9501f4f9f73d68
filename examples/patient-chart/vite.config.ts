import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

/** The server. Pages send requests to Vite, which forwards them, so that the browser uses one origin. */
const andiron = process.env.ANDIRON ?? 'http://localhost:3000';

export default defineConfig({
  plugins: [react()],
  server: { proxy: { '/w': andiron } },
  preview: { proxy: { '/w': andiron } },
});
