import { chakra, Flex } from '@chakra-ui/react'
import type { ReactNode } from 'react'

/** One fact: what it is called and what it is. Without a value (null, undefined, '' or false) it is left out. */
export interface Fact {
  readonly label: string
  readonly value: ReactNode
}

/** The console's reset gives every element a wrapping of its own. */
const WRAPPED = { '& *': { overflowWrap: 'inherit' } } as const

/**
 * Facts below each other: the names at the left, the values at the right. A value that is too long for its line has the
 * next one to itself.
 */
export function Facts({ facts }: { facts: readonly Fact[] }) {
  return (
    <chakra.dl display="grid" gap="1.5">
      {facts.map(({ label, value }) =>
        isGiven(value) ? (
          <Flex key={label} wrap="wrap" columnGap="4">
            <chakra.dt color="fg.muted" flexShrink="0">
              {label}
            </chakra.dt>
            <chakra.dd
              ms="auto"
              textAlign="end"
              overflowWrap="anywhere"
              fontVariantNumeric="tabular-nums"
              css={WRAPPED}
            >
              {value}
            </chakra.dd>
          </Flex>
        ) : null,
      )}
    </chakra.dl>
  )
}

const isGiven = (value: ReactNode): boolean =>
  value !== null && value !== undefined && value !== '' && value !== false
