import { Box, chakra, Flex, Grid, Text } from '@chakra-ui/react'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { useIsAdmin } from '../../core/session.ts'
import { Money } from '../money.tsx'
import { Opens } from '../opens.tsx'
import type { Replay, ReplayDimension, ReplayLine } from './replay-queries.ts'
import { byImpact } from './steps.ts'

const LINES_MAX = 6

/** Users, models, tokens or channels that pay more or less at a replay's prices; each name opens its statement or postings. */
export function Impact(props: { replay: Replay; dimension: string; lines: readonly ReplayLine[] }) {
  const { t } = useTranslation()
  const { more, less } = byImpact(props.lines, LINES_MAX)
  const most = Math.max(1, ...[...more, ...less].map((line) => Math.abs(changeOf(line))))
  if (more.length + less.length === 0) {
    return <Text color="fg.muted">{t('replays.noImpact')}</Text>
  }
  return (
    <Grid gap="3">
      {[
        { title: t('replays.paysMore'), lines: more },
        { title: t('replays.paysLess'), lines: less },
      ]
        .filter(({ lines }) => lines.length > 0)
        .map(({ title, lines }) => (
          <Box as="section" key={title} aria-label={title}>
            <Text fontSize="xs" color="fg.muted" mb="1">
              {title}
            </Text>
            <Grid as="ol" gap="1.5" listStyleType="none">
              {lines.map((line) => (
                <li key={line.key}>
                  <Flex justify="space-between" gap="3" fontSize="sm">
                    <chakra.span minW="0" truncate>
                      <LineLink {...props} line={line} />
                    </chakra.span>
                    <Money value={changeOf(line)} kind="difference" />
                  </Flex>
                  <Box h="6px" bg="bg.muted" borderRadius="l1" aria-hidden>
                    <Box
                      h="full"
                      minW="2px"
                      borderRadius="l1"
                      w={`${(Math.abs(changeOf(line)) / most) * 100}%`}
                      bg="fg.muted"
                    />
                  </Box>
                </li>
              ))}
            </Grid>
          </Box>
        ))}
    </Grid>
  )
}

const changeOf = (line: ReplayLine): number => line.repriced - line.quota

/**
 * The name of a line of a replay. A user's opens the statement, what else postings tell opens the journal; to users who see no
 * journal, their own statement by model or token.
 */
export function LineLink(props: {
  replay: Replay
  dimension: string
  line: Pick<ReplayLine, 'key' | 'name'>
}): ReactNode {
  const isAdmin = useIsAdmin()
  const { replay, dimension, line } = props
  const shown = nameOf(dimension as ReplayDimension, line)
  // A statement ends before `end`, the journal with it.
  const period = { start: Math.floor(replay.from / 1000), end: Math.ceil(replay.to / 1000) }
  const id = Number(line.key)
  if (dimension === 'group' || (dimension !== 'model' && !(id > 0))) return shown
  if (!isAdmin) {
    const by = dimension === 'model' ? { model: line.key } : { token: id }
    return (
      <Opens>
        <Link to="/statement" search={{ ...period, ...by }}>
          {shown}
        </Link>
      </Opens>
    )
  }
  if (dimension === 'user') {
    return (
      <Opens>
        <Link to="/audit/statement" search={{ ...period, user: id }}>
          {shown}
        </Link>
      </Opens>
    )
  }
  const by =
    dimension === 'model'
      ? { model: line.key }
      : dimension === 'token'
        ? { token: id }
        : { channel: id }
  return (
    <Opens>
      <Link
        to="/audit/journal"
        search={{ ...period, end: period.end - 1, type: 'UsageCharged', ...by }}
      >
        {shown}
      </Link>
    </Opens>
  )
}

const nameOf = (dimension: ReplayDimension, { key, name }: Pick<ReplayLine, 'key' | 'name'>) =>
  name || (dimension === 'model' || dimension === 'group' ? key : `#${key}`)
