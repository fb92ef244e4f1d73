import { Flex, Text } from '@chakra-ui/react'
import { Link } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { useProgress } from './queries.ts'
import { isDone, STEPS } from './steps.ts'

/** Says on every screen that the first call is still to come, until it has. */
export function FirstStepsBar() {
  const { t } = useTranslation()
  const progress = useProgress(false)
  if (!progress || progress.hasCall) return null
  const done = STEPS.filter((step) => isDone(step, progress)).length
  return (
    <Flex
      as="aside"
      aria-label={t('firstSteps.title')}
      gap="3"
      align="center"
      wrap="wrap"
      mx={{ base: '3', md: '6' }}
      mt={{ base: '3', md: '5' }}
      px="3"
      py="1.5"
      borderWidth="1px"
      borderColor="border"
      borderRadius="l2"
      bg="bg.panel"
      css={{ '& a': { py: '1', color: 'teal.fg', textDecoration: 'underline' } }}
    >
      <Text>{t('firstSteps.bar', { done, total: STEPS.length })}</Text>
      <Link to="/">{t('firstSteps.continue')}</Link>
    </Flex>
  )
}
