import { expect, test } from 'vitest'
import { nearestNames, normaliseName } from '#tools/names'

test('strips one prefix and maps dots', () => {
  expect(
    ['m1nd.validate_plan', 'm1nd.validate.plan', 'm1nd_validate_plan', 'validate.plan'].map(normaliseName),
  ).toEqual(Array(4).fill('validate_plan'))
  expect(normaliseName('m1nd.m1nd.seek')).toBe('m1nd_seek')
})

test('finds names by typing slips, nearest first, and none for something else', () => {
  const names = ['seek', 'impact', 'predict', 'lock_create', 'lock_diff']
  expect(nearestNames('imapct', names, 3)).toEqual(['impact'])
  expect(nearestNames('seeek', names, 1)).toEqual(['seek'])
  expect(nearestNames('lock', names, 3)).toEqual(['lock_create', 'lock_diff'])
  expect(nearestNames('zzzzzzzz', names, 3)).toEqual([])
})
