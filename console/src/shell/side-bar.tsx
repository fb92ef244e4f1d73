import { Box } from '@chakra-ui/react'
import { lazyRouteComponent } from '@tanstack/react-router'
import { Suspense } from 'react'
import { usePreference } from '../core/preferences.ts'
import { sessionUser } from '../core/session.ts'
import { useStatus } from '../core/status.ts'
import { isPhone, useIsPhone } from '../parts/media.ts'

// Only signed-in people have one; the server names it in the pages of theirs (dev/page-list.ts).
const SideBarContent = lazyRouteComponent(() => import('./side-bar-content.tsx'))

/** Fetches what stands in the side bar, for those who have one: once it is there, it is drawn with the frame. */
export async function sideBarLoaded(): Promise<void> {
  if (sessionUser() && !isPhone()) await SideBarContent.preload?.()
}

/**
 * The side bar of all windows but a phone's, where it would cost a third of the frame and show nothing. Collapsing is
 * remembered and starts as the option DefaultCollapseSidebar says.
 */
export function SideBar() {
  const collapsedByOption = String(useStatus()?.default_collapse_sidebar ?? false)
  const [collapsed, setCollapsed] = usePreference('sidebar-collapsed', collapsedByOption)
  const isCompact = collapsed === 'true'
  if (useIsPhone()) return null
  return (
    <Box
      css={{ '@media print': { display: 'none' } }}
      flexShrink="0"
      w={isCompact ? '60px' : '208px'}
      borderRightWidth="1px"
      borderColor="border"
      bg="bg.panel"
    >
      <Suspense>
        <SideBarContent isCompact={isCompact} onToggle={() => setCollapsed(String(!isCompact))} />
      </Suspense>
    </Box>
  )
}
