import { ChakraProvider } from '@chakra-ui/react'
import { QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { startI18n } from './core/i18n.ts'
import { queryClient } from './shell/query-client.ts'
import { router } from './shell/router.ts'
import { system } from './core/system.ts'
import { applyTheme, initialTheme } from './core/theme.ts'

applyTheme(initialTheme())
reloadAfterUpgrade()
await startI18n()

const root = document.getElementById('root')
if (!root) throw new Error('The page has no element #root to render into.')

createRoot(root).render(
  <StrictMode>
    <ChakraProvider value={system}>
      <QueryClientProvider client={queryClient}>
        <RouterProvider router={router} />
      </QueryClientProvider>
    </ChakraProvider>
  </StrictMode>,
)

/** A tab that outlived an upgrade asks for files that are gone; loading the page again fetches the new ones, once. */
function reloadAfterUpgrade(): void {
  const key = 'reloaded-after-upgrade'
  window.addEventListener('vite:preloadError', (event) => {
    if (sessionStorage.getItem(key) === location.href) return
    sessionStorage.setItem(key, location.href)
    event.preventDefault()
    location.reload()
  })
}
