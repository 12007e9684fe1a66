import { readFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import pg from 'pg'
import { recordCommand } from '#server/audit/audit.ts'
import { connect } from '#server/database/connect.ts'
import { migrate } from '#server/database/migrate.ts'
import { StartError } from '#server/errors.ts'
import { sealKeys as seal } from '#server/features/access/access/access.ts'
import { openCatalog } from '#server/features/selling/catalog/catalog.ts'
import { createSecrets, loadSecretsKey } from '#server/security/secrets.ts'
import { runCommand, withClient } from './command.ts'
import { buyAsDemoPeople, demoBuyer, demoSupport } from './demo/buyers.ts'
import { unlockDemoBuyers } from './demo/tradingview.ts'

/** `npm run demo`: fills an empty shop with a believable year. `-- --users 30000 --purchases 100000` makes a large one. */
const { values } = parseArgs({
  options: { users: { type: 'string', default: '740' }, purchases: { type: 'string', default: '620' } },
})

const assets = {
  SPY: 'Core index, deepest liquidity',
  QQQ: 'Rebounds fast after three red days',
  IWM: '',
  DIA: '',
  'NASDAQ:AAPL': 'Skip the week of earnings',
  'NASDAQ:MSFT': '',
  'NASDAQ:NVDA': 'Half size: wide swings',
  'NASDAQ:AMZN': '',
  'NYSE:JPM': '',
  'NYSE:KO': 'Slow, steady, few signals',
  XLF: '',
  XLK: 'Sector of most signals this quarter',
}

const sellerSettings = {
  MAKER_NAME: 'Mia Muster',
  MAKER_SENTENCE: 'I wrote the rules, trade them myself, and answer your emails.',
  MAKER_MORE:
    'Before this, I built risk models for a bank. I began to write the rules down to argue less with myself. I publish what I trade, including what loses, and I still place every order by hand.',
  SHOW_FIGURES: 'yes',
  MAKER_PHOTO: readFileSync(new URL('demo/maker.png', import.meta.url)).toString('base64'),
  SELLER_NAME: 'Mia Muster (demo)',
  SELLER_STREET: 'Musterweg 1',
  SELLER_CITY: '4500 Solothurn',
  SELLER_COUNTRY: 'Switzerland',
}

await runCommand(async ({ config, url }) => {
  if (config.production)
    throw new StartError(
      'The demo invents buyers, reviews and accounts with known passwords: never in a shop with NODE_ENV=production. Try it in another folder.',
    )
  console.log('1 of 3  Customers and purchases of a year')
  await migrate(url)
  await fill(url, createSecrets(loadSecretsKey(config.secretsKey, config.dataDir)))
  // With Stripe's keys, the demo would create subscriptions at Stripe.
  if (!config.stripe) {
    console.log('2 of 3  People who really buy, day by day; this takes a minute or two')
    const copiedCount = await buyAsDemoPeople(config)
    console.log(`${copiedCount} purchases of the past year have a payment and an invoice.`)
    console.log('3 of 3  Access at the TradingView stand-in')
    const unlockedCount = await unlockDemoBuyers(config)
    if (unlockedCount > 0) console.log(`${unlockedCount} people are unlocked at the TradingView stand-in.`)
    console.log(`Log in as a buyer: ${demoBuyer.email}, password "${demoBuyer.password}".`)
    console.log(`Log in as support: ${demoSupport.email}, password "${demoSupport.password}".`)
  }
  console.log('The shop is ready. Start it with `npm start`, log in as the admin and open /admin.')
})

async function productIdOf(url: string) {
  const connection = connect(url, () => undefined)
  try {
    return (await openCatalog(connection.db)).homeProduct().id
  } finally {
    await connection.close()
  }
}

async function fill(url: string, secrets: ReturnType<typeof createSecrets>) {
  const productId = await productIdOf(url)
  await withClient(url, async (client) => {
    const { rows } = await client.query('select from users where not is_admin union all select from purchases limit 1')
    if (rows.length > 0)
      throw new StartError(
        'This shop already has customers. The demo fills only an empty shop, so it never mixes with real data.',
      )
    await client.query('begin')
    for (const statement of fillStatements(productId)) await client.query(statement)
    await sealKeys(client, secrets)
    await addAssets(client, productId)
    for (const setting of Object.entries(sellerSettings))
      await client.query('insert into shop_settings (name, value) values ($1, $2) on conflict do nothing', setting)
    await recordCommand(client, 'demo.fill')
    await client.query('commit')
    await client.query(
      'vacuum (analyze) users, purchases, access, access_forms, access_events, mrr_movements, payments',
    )
  })
}

function fillStatements(productId: string) {
  for (const [name, count] of Object.entries(values))
    if (!/^[1-9]\d{0,8}$/.test(count)) throw new StartError(`--${name} must be a number above 0`)
  const replacements: Record<string, string> = { ...values, product: pg.escapeLiteral(productId) }
  const template = readFileSync(new URL('./demo/fill.sql', import.meta.url), 'utf8')
  // Replaces `:users`, but not a cast such as `::users`.
  const sql = template.replaceAll(/(?<!:):(users|purchases|product)\b/g, (_, name: string) => replacements[name] ?? '')
  return sql.split(/;\n/).filter((statement) => statement.trim() !== '')
}

/** Gives an admin something to reveal. */
async function sealKeys(client: pg.Client, secrets: ReturnType<typeof createSecrets>) {
  const { rows } = await client.query<{ id: string }>(
    `select id from access_forms f where exists (select from access a where a.user_id = f.user_id and a.state = 'asked')
     order by submitted_at limit 200`,
  )
  for (const { id } of rows) {
    const keys = { apiKey: `demo-key-${id.slice(0, 8)}`, secretKey: 'not a real secret' }
    await client.query('update access_forms set sealed_keys = $2 where id = $1', [id, seal(secrets, keys, id)])
  }
}

async function addAssets(client: pg.Client, productId: string) {
  await client.query(
    `insert into recommended_assets (product_id, ticker, note, sort_order)
     select $1, ticker, nullif(note, ''), number from unnest($2::text[], $3::text[]) with ordinality as a (ticker, note, number)
     on conflict do nothing`,
    [productId, Object.keys(assets), Object.values(assets)],
  )
}
