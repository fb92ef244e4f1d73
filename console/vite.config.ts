import { tanstackRouter } from '@tanstack/router-plugin/vite'
import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'
import { firstLook } from './dev/first-look.ts'
import { mockApi } from './dev/mock-api.ts'
import { pageList } from './dev/page-list.ts'
import { precompressed } from './dev/precompressed.ts'
import manifest from '../package.json' with { type: 'json' }

/** Where a Tollgate started with its defaults listens; the development server passes API calls on to it. */
const API_ORIGIN = 'http://127.0.0.1:3000'

/** Begun with, in a file and a task of its own: a slow phone needs 0.1 s to take in what every screen needs. */
const REACT = /node_modules\/(react|react-dom|scheduler)\//

/** The other packages that every screen needs, which therefore go into one file. */
const FIRST_PACKAGES = new RegExp(
  `console/src/libraries.ts$|node_modules/(${[
    'i18next',
    'react-i18next',
    'use-sync-external-store',
    'stylis',
    '@emotion',
    '@pandacss',
    '@tanstack/(history|query-core|react-query|react-store|router-core|store)',
    '@tanstack/react-router/(?!dist/esm/useBlocker)',
    '@chakra-ui/react/dist/esm/(styled-system|theme|utils)',
    '@chakra-ui/react/dist/esm/components/(badge|box|button|field|flex|heading|input|loader|skeleton|stack|text)',
    'lucide-react/dist/esm/(createLucideIcon|Icon|defaultAttributes|shared)',
  ].join('|')})/`,
)

/** What the frame and the first pages are made of, without what they load on demand. */
const FRAME =
  /console\/src\/(core\/|shell\/(?!footer|manual-copy-dialog|navigation-drawer|new-year)|parts\/(clipboard|copy|fields|hint|notify|on-demand|page|popup-portal|quota|quota-format|search-params|states)\.tsx?$)/

/** What is begun before the rest is there (`src/early.ts`): theme, texts and fonts. */
const TEXTS =
  /vite\/preload-helper|console\/src\/core\/(fetch-texts|find-fonts|first-words|language|theme-class)\.ts$/

/**
 * Development (`npm run dev -w console`) proxies the API to a running Tollgate; `--mode mock` answers from memory
 * instead. The build writes hashed files to dist, which the server serves with long cache headers.
 */
export default defineConfig(({ mode }) => ({
  plugins: [
    tanstackRouter({ target: 'react', autoCodeSplitting: true, quoteStyle: 'single' }),
    react(),
    firstLook(),
    pageList(),
    precompressed(),
    ...(mode === 'mock' ? [mockApi()] : []),
  ],
  server:
    mode === 'mock' ? {} : { proxy: { '/api': API_ORIGIN, '/v1': API_ORIGIN, '/pg': API_ORIGIN } },
  define: { 'import.meta.env.TOLLGATE_VERSION': JSON.stringify(manifest.version) },
  build: {
    target: 'es2022',
    reportCompressedSize: false,
    manifest: true,
    // Browsers that know this syntax know such links, too.
    modulePreload: { polyfill: false },
    rolldownOptions: {
      // Chakra composes its theme by calls that only return their argument; unless the bundler knows that, every
      // visitor would load the recipes of all components.
      // One file of what every screen needs: it changes rarely, and compresses better than twenty small ones.
      output: {
        codeSplitting: {
          groups: [
            { name: 'react', test: REACT },
            {
              name: 'base',
              test: FIRST_PACKAGES,
            },
            { name: 'frame', test: FRAME },
            { name: 'texts', test: TEXTS, priority: 1 },
          ],
        },
      },
      treeshake: {
        // Only emotion's withTheme needs these two; nothing here uses it.
        moduleSideEffects: [
          { test: /node_modules\/(hoist-non-react-statics|react-is)\//, sideEffects: false },
        ],
        manualPureFunctions: ['defineConfig', 'defineRecipe', 'defineSlotRecipe', 'mergeConfigs'],
      },
    },
  },
}))
