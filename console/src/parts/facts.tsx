import { chakra, Flex } from '@chakra-ui/react'
import type { ReactNode } from 'react'

/** One fact: what it is called and what it is. Without a value (null, undefined, '' or false) it is left out. */
export interface Fact {
  readonly label: string
  readonly value: ReactNode
}

/** Facts below each other: the names at the left, the values at the right. */
export function Facts({ facts }: { facts: readonly Fact[] }) {
  return (
    <chakra.dl display="grid" gap="1.5">
      {facts.map(({ label, value }) =>
        isGiven(value) ? (
          <Flex key={label} justify="space-between" gap="4">
            <chakra.dt color="fg.muted" flexShrink="0">
              {label}
            </chakra.dt>
            <chakra.dd textAlign="end" overflowWrap="anywhere" fontVariantNumeric="tabular-nums">
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
