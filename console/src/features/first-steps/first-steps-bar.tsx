import { Box, Flex, Text } from '@chakra-ui/react'
import { Link } from '@tanstack/react-router'
import { useEffect } from 'react'
import { useTranslation } from 'react-i18next'
import { areStepsOpen, BAR, keepStepsOpen } from './open-steps.ts'
import { useHasStepsLeft, useProgress } from './queries.ts'
import { isDone, STEPS } from './steps.ts'

/** Says on every screen that the first call is still to come, until it has. */
export function FirstStepsBar() {
  const { t } = useTranslation()
  const progress = useProgress(false)
  const isOpen = useHasStepsLeft()
  useEffect(() => {
    if (isOpen !== undefined) keepStepsOpen(isOpen)
  }, [isOpen])
  if (isOpen === false) return null
  if (!progress) return isOpen || areStepsOpen() ? <Box {...BAR} /> : null
  const done = STEPS.filter((step) => isDone(step, progress)).length
  return (
    <Flex
      as="aside"
      aria-label={t('firstSteps.title')}
      gap="3"
      align="center"
      wrap="wrap"
      {...BAR}
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
