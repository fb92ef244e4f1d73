import { Box, Button, chakra } from '@chakra-ui/react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { Difference } from './text-diff.ts'
import { textDifferences } from './text-diff.ts'

/** How many differences are shown before the rest is asked for. */
const SHOWN_AT_FIRST = 12

/** The differences between two texts, entry by entry of JSON objects or line by line: − is gone, + is new. */
export function Diff({ old, text }: { old: string; text: string }) {
  const { t } = useTranslation()
  const [isWhole, setWhole] = useState(false)
  const differences = textDifferences(old, text)
  const shown = isWhole ? differences : differences.slice(0, SHOWN_AT_FIRST)
  const hidden = differences.length - shown.length
  return (
    <Box fontFamily="mono" fontSize="xs">
      <Box as="ul" listStyleType="none" bg="bg.muted" borderRadius="l2" px="2" py="1.5">
        {shown.map((difference, index) => (
          <Box as="li" key={index} whiteSpace="pre-wrap" overflowWrap="anywhere">
            <Row difference={difference} />
          </Box>
        ))}
      </Box>
      {hidden > 0 ? (
        <Button size="2xs" variant="ghost" onClick={() => setWhole(true)}>
          {t('models.unfold', { n: hidden })}
        </Button>
      ) : null}
    </Box>
  )
}

function Row({ difference }: { difference: Difference }) {
  const { kind, name, text } = difference
  const named = name === undefined ? '' : `${name}: `
  if (kind === 'removed') return <Removed>{`− ${named}${text}`}</Removed>
  if (kind === 'added') return <Added>{`+ ${named}${text}`}</Added>
  return (
    <>
      {`  ${named}`}
      <Removed>{difference.old}</Removed>
      {' → '}
      <Added>{text}</Added>
    </>
  )
}

const Removed = ({ children }: { children: string }) => (
  <chakra.del color="fg.error" textDecoration="none">
    {children}
  </chakra.del>
)
const Added = ({ children }: { children: string }) => (
  <chakra.ins color="fg.success" textDecoration="none">
    {children}
  </chakra.ins>
)
