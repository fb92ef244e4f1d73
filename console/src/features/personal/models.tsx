import { Box, Button, Flex } from '@chakra-ui/react'
import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { usePreference } from '../../core/preferences.ts'
import { Card } from '../../parts/card.tsx'
import { Id } from '../../parts/id.tsx'
import { EmptyState, ErrorState, SkeletonRows } from '../../parts/states.tsx'
import { ownModelsQuery } from './queries.ts'

/** So many are shown before somebody asks for all (seeds, section 9). */
const FIRST = 10

/** The models that may be called; a click copies a name. */
export function Models() {
  const { t } = useTranslation()
  const query = useQuery(ownModelsQuery)
  const [expanded, setExpanded] = usePreference('modelsExpanded', 'false')
  const models = query.data ?? []
  const isAll = expanded === 'true'
  const shown = isAll ? models : models.slice(0, FIRST)
  return (
    <Card title={t('personal.models')} description={t('personal.modelsHelp')}>
      {query.isPending ? <SkeletonRows rows={2} height="24px" /> : null}
      {query.isError && !query.data ? (
        <ErrorState error={query.error} onRetry={() => void query.refetch()} />
      ) : null}
      {query.data && models.length === 0 ? (
        <EmptyState title={t('personal.noModels')} detail={t('personal.noModelsDetail')} />
      ) : null}
      <Flex as="ul" listStyleType="none" gap="1.5" wrap="wrap">
        {shown.map((model) => (
          <Box as="li" key={model} bg="bg.muted" borderRadius="l2" px="2" py="0.5">
            <Id value={model} label={t('personal.copyModel')} />
          </Box>
        ))}
      </Flex>
      {models.length > FIRST ? (
        <Button
          size="xs"
          variant="ghost"
          mt="2"
          aria-expanded={isAll}
          onClick={() => setExpanded(String(!isAll))}
        >
          {isAll ? t('models.fold') : t('models.unfold', { n: models.length - FIRST })}
        </Button>
      ) : null}
    </Card>
  )
}
