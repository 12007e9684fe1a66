import { existsSync } from 'node:fs'
import * as z from 'zod/mini'
import { email as emailField } from '#contract/fields.ts'
import { readConfig } from '#server/config.ts'
import { connect } from '#server/database/connect.ts'
import { openEmbedded } from '#server/database/embedded.ts'
import { migrate } from '#server/database/migrate.ts'
import { Refusal } from '#server/errors.ts'
import { createAdmins } from '#server/features/accounts/accounts.ts'
import { createPasswords } from '#server/security/passwords.ts'

const help = `npm run admin -- add <email>     makes an admin, or an existing user one; with a new password
npm run admin -- reset <email>   gives an admin a new password

Either way the password is printed once, and every device of that account is logged out.
The shop may be running meanwhile.
`

const [command, typed] = process.argv.slice(2)
const email = z.safeParse(emailField(z), typed).data
if ((command !== 'add' && command !== 'reset') || email === undefined) {
  console.error(help)
  process.exit(1)
}

if (existsSync('.env')) process.loadEnvFile('.env')
const config = readConfig(process.env)
const embedded = config.databaseUrl ? undefined : await openEmbedded(config.dataDir)
const url = embedded?.url ?? config.databaseUrl ?? ''
const connection = connect(url, console.error)
try {
  await migrate(url)
  const admins = createAdmins({ db: connection.db, now: () => new Date(), passwords: createPasswords() })
  const { password } = await admins[command](email)
  console.log(`${email} is an admin with the password ${password}`)
} catch (error) {
  console.error(error instanceof Refusal ? error.message : error)
  process.exitCode = 1
} finally {
  await connection.close()
  await embedded?.close()
}
