import { chakra } from '@chakra-ui/react'
import type { ReactNode } from 'react'

/** One fact: what it is called and what it is. Without a value (null, undefined, '' or false) it is left out. */
export interface Fact {
  readonly label: string
  readonly value: ReactNode
}

const FACTS_CSS = {
  display: 'grid',
  gap: '1.5',
  '& > div': { display: 'flex', flexWrap: 'wrap', columnGap: '4' },
  '& > div > dt': { flexShrink: '0', color: 'fg.muted' },
  '& > div > dd': {
    ms: 'auto',
    textAlign: 'end',
    overflowWrap: 'anywhere',
    fontVariantNumeric: 'tabular-nums',
    // The console's reset gives every element a wrapping of its own.
    '& *': { overflowWrap: 'inherit' },
  },
} as const

/**
 * Facts below each other: the names at the left, the values at the right. A value that is too long for its line has the
 * next one to itself.
 */
export function Facts({ facts }: { facts: readonly Fact[] }) {
  return (
    <chakra.dl css={FACTS_CSS}>
      {facts.map(({ label, value }) =>
        isGiven(value) ? (
          <div key={label}>
            <dt>{label}</dt>
            <dd>{value}</dd>
          </div>
        ) : null,
      )}
    </chakra.dl>
  )
}

const isGiven = (value: ReactNode): boolean =>
  value !== null && value !== undefined && value !== '' && value !== false
