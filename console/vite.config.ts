import { tanstackRouter } from '@tanstack/router-plugin/vite'
import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'
import { mockApi } from './dev/mock-api.ts'

/** Where a Tollgate started with its defaults listens; the development server passes API calls on to it. */
const API_ORIGIN = 'http://127.0.0.1:3000'

/**
 * Development (`npm run dev -w console`) proxies the API to a running Tollgate; `--mode mock` answers from memory
 * instead. The build writes hashed files to dist, which the server serves with long cache headers.
 */
export default defineConfig(({ mode }) => ({
  plugins: [
    tanstackRouter({ target: 'react', autoCodeSplitting: true, quoteStyle: 'single' }),
    react(),
    ...(mode === 'mock' ? [mockApi()] : []),
  ],
  server:
    mode === 'mock' ? {} : { proxy: { '/api': API_ORIGIN, '/v1': API_ORIGIN, '/pg': API_ORIGIN } },
  build: {
    target: 'es2022',
    reportCompressedSize: false,
    manifest: true,
    rolldownOptions: {
      // Chakra composes its theme by calls that only return their argument; unless the bundler knows that, every
      // visitor would load the recipes of all components.
      // One file of what every screen needs: it changes rarely, and compresses better than twenty small ones.
      output: {
        codeSplitting: {
          groups: [
            {
              name: 'base',
              test: /node_modules\/(react|react-dom|scheduler|i18next|react-i18next|use-sync-external-store|@emotion|stylis|@tanstack\/(router-core|react-router|history|store|react-store|query-core|react-query))\//,
            },
          ],
        },
      },
      treeshake: {
        manualPureFunctions: ['defineConfig', 'defineRecipe', 'defineSlotRecipe', 'mergeConfigs'],
      },
    },
  },
}))
