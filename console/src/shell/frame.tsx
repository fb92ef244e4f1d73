import { Box, Flex } from '@chakra-ui/react'
import { useQuery } from '@tanstack/react-query'
import { Navigate, useRouter, useRouterState } from '@tanstack/react-router'
import type { CSSProperties, ReactNode, RefObject } from 'react'
import { lazy, Suspense, useEffect, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useManualCopy } from '../parts/clipboard.ts'
import { POPUP_HOST_ID } from '../parts/popup-portal.tsx'
import { useHasNotifications } from '../parts/notify.tsx'
import { ErrorState } from '../parts/states.tsx'
import { DemoBanner } from './demo-banner.tsx'
import { useSessionUser } from '../core/session.ts'
import { SideBar } from './side-bar.tsx'
import { statusQuery, useStatus } from '../core/status.ts'
import { TopBar } from './top-bar.tsx'

// Components that are needed only now and then, or after the first look: loaded when they are.
const Notifications = lazy(() => import('../parts/notifications.tsx'))
const ManualCopyDialog = lazy(() => import('./manual-copy-dialog.tsx'))
// Hints are a help: without them, the screen stands as well.
const HintLayer = lazy(() => import('../parts/hint.tsx').catch(() => ({ default: () => null })))
const Footer = lazy(() => import('./footer.tsx'))
const NavigationDrawer = lazy(() => import('./navigation-drawer.tsx'))

/** Paths that stand alone: the side bar would only be in the way (seeds, navigation). */
const BARE_PATHS = ['/', '/setup', '/login', '/register', '/reset', '/user/reset']

/** Top bar, side bar and the place for the screen. It renders before any data has arrived. */
export function Frame({ children }: { children: ReactNode }) {
  const { t } = useTranslation()
  const path = useRouterState({ select: (state) => state.location.pathname })
  const user = useSessionUser()
  const [isMenuOpen, setMenuOpen] = useState(false)
  const content = useRef<HTMLDivElement>(null)
  useFocusOnNewScreen(content)
  // The top bar, and a demonstration's banner above it.
  const isDemo = useStatus()?.demo === true
  const hasSideBar = user !== null && !BARE_PATHS.includes(path)
  return (
    <Flex
      direction="column"
      minH="100dvh"
      style={{ '--frame-top': isDemo ? '82px' : '48px' } as CSSProperties}
    >
      <SkipLink label={t('frame.skip')} />
      <DemoBanner />
      <TopBar hasMenu={hasSideBar} onOpenMenu={() => setMenuOpen(true)} />
      <Flex flex="1" minH="0">
        {hasSideBar ? <SideBar /> : null}
        <Box
          as="main"
          id="content"
          ref={content}
          tabIndex={-1}
          outline="none"
          flex="1"
          minW="0"
          w="full"
        >
          <SetupGate path={path}>{children}</SetupGate>
          <div id={POPUP_HOST_ID} />
          <Suspense>
            <HintLayer />
          </Suspense>
        </Box>
      </Flex>
      <Box minH="43px" css={SHOWN_ONCE_LOADED}>
        <Suspense>
          <Footer />
        </Suspense>
      </Box>
      {isMenuOpen ? (
        <Suspense>
          <NavigationDrawer onClose={() => setMenuOpen(false)} />
        </Suspense>
      ) : null}
      <NotificationsOnceNeeded />
      <ManualCopy />
    </Flex>
  )
}

/**
 * A screen that goes may take the focus with it. The content has it then, and Tab and screen readers go on from there
 * instead of from nowhere. A page that was just loaded begins at its top.
 */
function useFocusOnNewScreen(content: RefObject<HTMLElement | null>) {
  const router = useRouter()
  useEffect(
    () =>
      router.subscribe('onRendered', ({ fromLocation, pathChanged }) => {
        if (fromLocation && pathChanged && document.activeElement === document.body)
          content.current?.focus({ preventScroll: true })
      }),
    [router, content],
  )
}

/**
 * While the screen is empty or holds skeletons, nobody knows how far down the footer will stand; and while the
 * operator's own one is not drawn, how tall it is.
 */
const SHOWN_ONCE_LOADED = {
  [`div:has(> main > #${POPUP_HOST_ID}:first-child, > main .chakra-skeleton) + &, &:has([aria-busy])`]:
    {
      visibility: 'hidden',
    },
}

function NotificationsOnceNeeded() {
  if (!useHasNotifications()) return null
  return (
    <Suspense>
      <Notifications />
    </Suspense>
  )
}

function ManualCopy() {
  const [text, close] = useManualCopy()
  if (text === null) return null
  return (
    <Suspense>
      <ManualCopyDialog text={text} onClose={close} />
    </Suspense>
  )
}

/** Leads to the wizard while setup is not done and away from it afterwards (seeds, route table). */
function SetupGate({ path, children }: { path: string; children: ReactNode }) {
  const { t } = useTranslation()
  const status = useQuery(statusQuery)
  if (status.data?.setup === false && path !== '/setup') return <Navigate to="/setup" replace />
  if (status.data?.setup === true && path === '/setup') return <Navigate to="/" replace />
  // The status of the last visit stands in only until the server has answered.
  if (status.isError && status.dataUpdatedAt === 0)
    return (
      <ErrorState
        error={new Error(t('failure.status'), { cause: status.error })}
        onRetry={() => void status.refetch()}
      />
    )
  return children
}

function SkipLink({ label }: { label: string }) {
  return (
    <Box
      asChild
      position="absolute"
      left="-9999px"
      _focus={{
        left: '2',
        top: '2',
        zIndex: 'skipNav',
        bg: 'bg.panel',
        p: '2',
        borderRadius: 'l2',
      }}
    >
      <a href="#content">{label}</a>
    </Box>
  )
}
