import { QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { StrictMode, startTransition } from 'react'
import type { createRoot } from 'react-dom/client'
import { startI18n } from './core/i18n.ts'
import { statusOfLastVisit } from './core/last-status.ts'
import { statusQuery } from './core/status.ts'
import { queryClient } from './shell/query-client.ts'
import { router } from './shell/router.ts'
import { sideBarLoaded } from './shell/side-bar.tsx'
import { QuotaUnitProvider } from './parts/quota.tsx'
import { createConsoleSystem } from './core/system.ts'
import { ChakraProvider } from './styles.ts'

/** How long a first visit waits for the public settings before it shows anything, in milliseconds. */
const FIRST_STATUS_MS = 1_000

/** How long the frame waits for the screen, in milliseconds. */
const SCREEN_MS = 500

/** Draws the console: in steps, between which the browser draws and answers, since a slow phone needs 0.2 s for each. */
export async function start(create: typeof createRoot): Promise<void> {
  reloadAfterUpgrade()
  const isReady = Promise.all([startI18n().then(screenLoaded), statusOnFirstVisit()])
  await sleep(0)
  const system = createConsoleSystem()
  await sleep(0)
  await isReady
  const root = document.getElementById('root')
  if (!root) throw new Error('The page has no element #root to render into.')
  // As a transition: React draws the first page in small steps then, between which a slow phone takes taps.
  startTransition(() =>
    create(root).render(
      <StrictMode>
        <ChakraProvider value={system}>
          <QueryClientProvider client={queryClient}>
            <QuotaUnitProvider>
              <RouterProvider router={router} />
            </QuotaUnitProvider>
          </QueryClientProvider>
        </ChakraProvider>
      </StrictMode>,
    ),
  )
}

/**
 * The installation's name and whether it is a demonstration decide how the frame looks. A browser that has never seen
 * them waits for them beside the texts, though not for long. Later visits begin with what it saw last.
 */
async function statusOnFirstVisit(): Promise<void> {
  if (statusOfLastVisit()) return
  await Promise.race([queryClient.prefetchQuery(statusQuery), sleep(FIRST_STATUS_MS)])
}

/**
 * The code of screen and side bar and the texts, which the page named and which are there by now as a rule: frame and
 * screen are drawn as one then, in small steps. A slow line draws the frame first.
 */
async function screenLoaded(): Promise<void> {
  await Promise.race([Promise.all([router.load(), sideBarLoaded()]), sleep(SCREEN_MS)])
}

function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}

const RELOAD_AGAIN_MS = 30_000

/**
 * A tab that outlived an upgrade asks for files that are gone; loading the page again fetches the new ones. What is
 * still missing right after that is missing for another reason, and is said.
 */
function reloadAfterUpgrade(): void {
  const key = 'reloaded-after-upgrade'
  window.addEventListener('vite:preloadError', (event) => {
    if (Date.now() - Number(sessionStorage.getItem(key)) < RELOAD_AGAIN_MS) return
    sessionStorage.setItem(key, String(Date.now()))
    event.preventDefault()
    location.reload()
  })
}
