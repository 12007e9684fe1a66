import { afterAll, beforeAll, expect, test } from 'vitest'
import { audit, jobs } from '#contract/admin/activity.ts'
import { contact } from '#contract/site/contact.ts'
import { openShop, type TestShop } from '#server/testing/open-shop.ts'
import { openSmtp } from '#server/testing/smtp.ts'

let isRefusing = true
let smtp: Awaited<ReturnType<typeof openSmtp>>
let shop: TestShop
beforeAll(async () => {
  smtp = await openSmtp({ refuse: () => (isRefusing ? 550 : undefined) })
  shop = await openShop({ env: { SMTP_URL: smtp.url, SUPPORT_EMAIL: 'gone@example.com' } })
})
afterAll(async () => {
  await shop.close()
  await smtp.close()
})

async function failMailJob() {
  isRefusing = true
  const message = { firstName: 'A', lastName: 'B', email: 'a@example.com', message: 'Hi' }
  await shop.visitor().call(contact.send, message)
  await shop.queue.waitUntilIdle()
  const admin = await shop.admin()
  const [failed] = await admin.call(jobs.adminList, {})
  return { admin, failed, id: failed?.id ?? '' }
}

test('an admin sees a job that failed permanently and runs it again', async () => {
  const { admin, failed, id } = await failMailJob()
  expect(failed).toMatchObject({ name: 'mail', about: 'contactMessage to gone@example.com', tries: 1 })
  expect(failed?.error).toContain('550')
  isRefusing = false
  await admin.call(jobs.adminRetry, { id })
  await shop.queue.waitUntilIdle()
  expect(smtp.accepted.map(({ messageId }) => messageId)).toEqual([`<${id}@localhost>`])
  expect(await admin.call(jobs.adminList, {})).toEqual([])
  await expect(admin.call(jobs.adminRetry, { id })).rejects.toMatchObject({ status: 404 })
  const [entry] = await admin.call(audit.adminList, {})
  expect(entry).toMatchObject({ action: 'job.retry', subject: id, actorEmail: admin.user.email })
})

test('an admin discards a failed job', async () => {
  const { admin, id } = await failMailJob()
  await admin.call(jobs.adminDiscard, { id })
  expect(await admin.call(jobs.adminList, {})).toEqual([])
  await expect(admin.call(jobs.adminDiscard, { id })).rejects.toMatchObject({ status: 404 })
})
