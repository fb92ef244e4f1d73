import { Box, chakra, Flex } from '@chakra-ui/react'
import type { KeyboardEvent, ReactNode } from 'react'
import { useId } from 'react'

/** One tab: its address, its name, and what it shows while it is chosen. */
export interface TabView<Name extends string> {
  readonly name: Name
  readonly label: string
}

/** A row of tabs and the panel of the chosen one. Arrow keys, Home and End move between them, as in every tab list. */
export function Tabs<Name extends string>(props: {
  label: string
  tabs: readonly TabView<Name>[]
  chosen: Name
  onChoose: (name: Name) => void
  children: ReactNode
}) {
  const id = useId()
  const { tabs, chosen, onChoose } = props
  const move = (event: KeyboardEvent<HTMLElement>) => {
    const to = nextTab(
      event.key,
      tabs.findIndex(({ name }) => name === chosen),
      tabs.length,
    )
    const tab = to === null ? undefined : tabs[to]
    if (!tab) return
    event.preventDefault()
    onChoose(tab.name)
    document.getElementById(`${id}-${tab.name}`)?.focus()
  }
  return (
    <>
      <Flex
        role="tablist"
        aria-label={props.label}
        gap="1"
        mb="4"
        borderBottomWidth="1px"
        borderColor="border"
        overflowX="auto"
      >
        {tabs.map(({ name, label }) => (
          <chakra.button
            key={name}
            type="button"
            role="tab"
            id={`${id}-${name}`}
            aria-selected={name === chosen}
            aria-controls={`${id}-panel`}
            tabIndex={name === chosen ? 0 : -1}
            onClick={() => onChoose(name)}
            onKeyDown={move}
            css={TAB}
          >
            {label}
          </chakra.button>
        ))}
      </Flex>
      <Box role="tabpanel" id={`${id}-panel`} aria-labelledby={`${id}-${chosen}`}>
        {props.children}
      </Box>
    </>
  )
}

/** The look of a tab, and of a link to one of the views of a screen. */
export const TAB = {
  px: '3',
  py: '2',
  whiteSpace: 'nowrap',
  fontWeight: '500',
  color: 'fg.muted',
  cursor: 'pointer',
  borderBottomWidth: '2px',
  borderColor: 'transparent',
  mb: '-1px',
  _hover: { color: 'fg' },
  '&[aria-selected=true], &[aria-current]': { color: 'teal.fg', borderColor: 'teal.solid' },
} as const

function nextTab(key: string, at: number, count: number): number | null {
  if (key === 'ArrowRight') return (at + 1) % count
  if (key === 'ArrowLeft') return (at - 1 + count) % count
  if (key === 'Home') return 0
  return key === 'End' ? count - 1 : null
}
