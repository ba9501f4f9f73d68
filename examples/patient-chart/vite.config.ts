import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

/** The server; pages ask Vite, which asks the server, so that the browser sees one origin. */
const andiron = process.env.ANDIRON ?? 'http://localhost:3000';

export default defineConfig({
  plugins: [react()],
  server: { proxy: { '/w': andiron } },
  preview: { proxy: { '/w': andiron } },
});
