import { fileURLToPath } from 'node:url'
import { tanstackRouter } from '@tanstack/router-plugin/vite'
import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'
import { CHUNKS, FIRST_FILES } from './dev/chunks.ts'
import { firstLook } from './dev/first-look.ts'
import { mockApi } from './dev/mock-api.ts'
import { pageList } from './dev/page-list.ts'
import { precompressed } from './dev/precompressed.ts'
import { restingTimers } from './dev/resting-timers.ts'
import { stylesOfPage } from './dev/styles-of-page.ts'
import { tokenNames } from './dev/token-names.ts'
import manifest from '../package.json' with { type: 'json' }

/** Where a Tollgate started with its defaults listens; the development server passes API calls on to it. */
const API_ORIGIN = 'http://127.0.0.1:3000'

/**
 * Calls that only return what they are given. Chakra composes its theme, and the names of its components' slots, by such
 * calls; unless the bundler knows that, every visitor would load the recipes and names of all components.
 */
const PURE = [
  'defineConfig',
  'defineRecipe',
  'defineSlotRecipe',
  'createAnatomy',
  'anatomy',
  ...[
    'accordion',
    'clipboard',
    'colorPicker',
    'combobox',
    'datePicker',
    'dialog',
    'editable',
    'field',
    'fieldset',
    'fileUpload',
    'menu',
    'popover',
    'radioGroup',
    'ratingGroup',
    'select',
    'slider',
    'splitter',
    'switch',
  ].flatMap((component) => [`${component}Anatomy`, `${component}Anatomy$1`]),
]

/**
 * Development (`npm run dev -w console`) proxies the API to a running Tollgate; `--mode mock` answers from memory
 * instead. The build writes hashed files to dist, which the server serves with long cache headers.
 */
export default defineConfig(({ mode }) => ({
  plugins: [
    tanstackRouter({ target: 'react', autoCodeSplitting: true, quoteStyle: 'single' }),
    react(),
    firstLook(),
    stylesOfPage(),
    restingTimers(),
    tokenNames(),
    pageList(),
    precompressed(),
    ...(mode === 'mock' ? [mockApi()] : []),
  ],
  resolve: {
    alias: {
      '@emotion/use-insertion-effect-with-fallbacks': fileURLToPath(
        new URL('src/core/style-insertion.ts', import.meta.url),
      ),
    },
  },
  server:
    mode === 'mock' ? {} : { proxy: { '/api': API_ORIGIN, '/v1': API_ORIGIN, '/pg': API_ORIGIN } },
  define: { 'import.meta.env.TOLLGATE_VERSION': JSON.stringify(manifest.version) },
  build: {
    target: 'es2022',
    reportCompressedSize: false,
    manifest: true,
    // Browsers that know this syntax know such links, too.
    modulePreload: {
      polyfill: false,
      // Whatever asks for more has these.
      resolveDependencies: (_file, needed) => needed.filter((file) => !FIRST_FILES.test(file)),
    },
    rolldownOptions: {
      output: { codeSplitting: { groups: CHUNKS } },
      treeshake: {
        // Only emotion's withTheme needs these two; nothing here uses it.
        moduleSideEffects: [
          { test: /node_modules\/(hoist-non-react-statics|react-is)\//, sideEffects: false },
        ],
        manualPureFunctions: PURE,
      },
    },
  },
}))
