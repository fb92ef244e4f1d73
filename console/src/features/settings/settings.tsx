import { Box, Button, chakra, Flex, Grid, Stack, Text } from '@chakra-ui/react'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { optionsQuery } from '../../core/options.ts'
import { useIsRoot } from '../../core/session.ts'
import { Page, Panel } from '../../parts/page.tsx'
import { ErrorState, SkeletonRows } from '../../parts/states.tsx'
import { GroupSection } from './group-section.tsx'
import { LogCleanup } from './log-cleanup.tsx'
import { OptionSection } from './option-section.tsx'
import { Section } from './section.tsx'

const PLACES = [
  'general',
  'quota',
  'monitoring',
  'log',
  'cleanup',
  'dashboard',
  'groups',
  'prices',
] as const

/** The operation settings. Options are for the super administrator; administrators may clear logs. */
export function Settings() {
  const { t } = useTranslation()
  const isRoot = useIsRoot()
  return (
    <Page title={t('place.settings')} description={t('settings.operation')}>
      {isRoot ? <RootSettings /> : <AdminSettings />}
    </Page>
  )
}

function AdminSettings() {
  const { t } = useTranslation()
  return (
    <Stack gap="4">
      <Panel p="4">
        <Text>{t('settings.rootOnly')}</Text>
      </Panel>
      <LogCleanup />
    </Stack>
  )
}

function RootSettings() {
  const { t } = useTranslation()
  const options = useQuery(optionsQuery)
  if (options.isPending) return <SkeletonRows rows={8} height="64px" />
  if (!options.data)
    return <ErrorState error={options.error} onRetry={() => void options.refetch()} />
  return (
    <Grid
      gap="6"
      templateColumns={{ base: 'minmax(0, 1fr)', lg: '150px minmax(0, 900px)' }}
      alignItems="start"
    >
      <Places />
      <Stack gap="4" minW="0">
        <OptionSection name="general" options={options.data} />
        <OptionSection name="quota" options={options.data} />
        <OptionSection name="monitoring" options={options.data} />
        <OptionSection name="log" options={options.data} />
        <LogCleanup />
        <OptionSection name="dashboard" options={options.data} />
        <GroupSection options={options.data} />
        <Section id="prices" title={t('settings.section_prices')} help={t('settings.pricesHelp')}>
          <Flex gap="2" wrap="wrap">
            <Button asChild size="sm" variant="outline">
              <Link to="/pricing" search={{ view: 'unset' }}>
                {t('settings.openUnset')}
              </Link>
            </Button>
            <Button asChild size="sm" variant="outline">
              <Link to="/pricing" search={{ view: 'prices' }}>
                {t('settings.openPrices')}
              </Link>
            </Button>
          </Flex>
        </Section>
      </Stack>
    </Grid>
  )
}

/** Leads to the sections of a long page. */
function Places() {
  const { t } = useTranslation()
  return (
    <Box
      as="nav"
      aria-label={t('settings.places')}
      hideBelow="lg"
      position="sticky"
      top="68px"
      fontSize="sm"
    >
      <Stack as="ul" gap="1" listStyleType="none">
        {PLACES.map((place) => (
          <li key={place}>
            <chakra.a href={`#${place}`} color="fg.muted" _hover={{ color: 'fg' }}>
              {t(`settings.section_${place}`)}
            </chakra.a>
          </li>
        ))}
      </Stack>
    </Box>
  )
}
