import { Box, CloseButton, Flex, Heading, Text } from '@chakra-ui/react'
import { ChevronLeft, ChevronRight } from 'lucide-react'
import type { ReactNode } from 'react'
import { lazy, Suspense, useEffect } from 'react'
import { useTranslation } from 'react-i18next'
import { useTimeZone } from '../../core/time-zone.ts'
import { BusyButton } from '../busy-button.tsx'
import { useIsWide } from '../media.ts'
import { isKeyTaken } from '../table/row-keys.ts'
import { zoneName } from '../time-format.ts'
import { useLatest } from '../use-latest.ts'

/** Windows with room beside the table never need it. */
const SidePanel = lazy(async () => ({ default: (await import('../side-panel.tsx')).SidePanel }))

interface PeekProps {
  readonly title: string
  readonly onPrevious: (() => void) | undefined
  readonly onNext: (() => void) | undefined
  readonly onClose: () => void
  readonly children: ReactNode
}

/**
 * Everything about one row. Beside the table where there is room, with the table in reach and j, k and Escape going on
 * through its rows; over the page on narrower windows.
 */
export function PeekPanel(props: PeekProps) {
  const isWide = useIsWide()
  usePeekKeys(props, isWide)
  if (!isWide)
    return (
      <Suspense>
        <SidePanel
          size="lg"
          title={props.title}
          onClose={props.onClose}
          footer={<Steps {...props} />}
        >
          {props.children}
        </SidePanel>
      </Suspense>
    )
  return <Beside {...props} />
}

function Beside(props: PeekProps) {
  const { t } = useTranslation()
  return (
    <Flex
      as="aside"
      aria-label={props.title}
      direction="column"
      w={{ base: '380px', '2xl': '460px' }}
      flexShrink="0"
      position="sticky"
      top="64px"
      maxH="calc(100dvh - 80px)"
      bg="bg.panel"
      borderWidth="1px"
      borderColor="border"
      borderRadius="l2"
    >
      <Flex
        align="center"
        justify="space-between"
        gap="2"
        ps="4"
        pe="2"
        py="2"
        borderBottomWidth="1px"
        borderColor="border"
      >
        <Heading as="h2" size="sm" truncate>
          {props.title}
        </Heading>
        <CloseButton size="xs" aria-label={t('action.close')} onClick={props.onClose} />
      </Flex>
      <Box
        as="section"
        px="4"
        py="4"
        overflowY="auto"
        flex="1"
        tabIndex={0}
        aria-label={t('list.details')}
      >
        {props.children}
      </Box>
      <Flex
        gap="2"
        align="center"
        wrap="wrap"
        px="4"
        py="2"
        borderTopWidth="1px"
        borderColor="border"
      >
        <Steps {...props} />
      </Flex>
    </Flex>
  )
}

/** Which zone the times above are in, and the ways to the rows before and after. */
function Steps({ onPrevious, onNext }: PeekProps) {
  const { t } = useTranslation()
  useTimeZone()
  return (
    <>
      <Text fontSize="xs" color="fg.muted">
        {t('range.zone', { zone: zoneName() })}
      </Text>
      <Flex gap="2" ms="auto">
        <BusyButton
          size="xs"
          variant="outline"
          isBusy={false}
          isLocked={!onPrevious}
          onClick={onPrevious}
        >
          <ChevronLeft size={14} aria-hidden />
          {t('list.previousRow')}
        </BusyButton>
        <BusyButton size="xs" variant="outline" isBusy={false} isLocked={!onNext} onClick={onNext}>
          {t('list.nextRow')}
          <ChevronRight size={14} aria-hidden />
        </BusyButton>
      </Flex>
    </>
  )
}

/** j and k go on through the rows while a panel is open; Escape closes the one beside the table. */
function usePeekKeys(props: PeekProps, isBeside: boolean): void {
  const latestRef = useLatest(props)
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      const { onPrevious, onNext, onClose } = latestRef.current
      if (isBeside ? isKeyTaken(event) : isTyping(event)) return
      const isOnRow = (event.target as Element).closest('tr[data-row]') !== null
      const isDown = event.key === 'j' || (isOnRow && event.key === 'ArrowDown')
      const isUp = event.key === 'k' || (isOnRow && event.key === 'ArrowUp')
      if (event.key === 'Escape' && isBeside) onClose()
      else if (isDown || isUp) {
        event.preventDefault()
        if (isDown) onNext?.()
        else onPrevious?.()
      }
    }
    document.addEventListener('keydown', press)
    return () => document.removeEventListener('keydown', press)
  }, [isBeside, latestRef])
}

const isTyping = (event: KeyboardEvent): boolean =>
  event.target instanceof Element && event.target.closest('input, textarea, select') !== null
