/** Begins with React, other libraries, the look, then the console itself; the browser may draw and answer in between. */
import { createRoot } from 'react-dom/client'

// The build runs it from a file of its own, ahead of this one.
if (import.meta.env.DEV) await import('./early.ts')
await import('./libraries.ts')
await import('./styles.ts')
const { start } = await import('./start.tsx')
await start(createRoot)
