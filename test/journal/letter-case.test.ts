// Letter case in the base path and in the name of an account.
import { journalKinds } from './journals.ts'
import { testScripts } from './script.ts'

const placed = 'place o1 origin=https://orders.example/Shop name=EU'
const shop = 'origin=https://orders.example/shop'
const upper = 'origin=https://orders.example/SHOP'

testScripts(
  journalKinds,
  `
  == letter case does not make two accounts of one
  ${placed}; create ${shop} name=eu → taken by o1; create ${upper} name=Eu → taken by o1
  create ${shop} → taken by o1; create ${shop} name=us; create r2 ${shop} name=eu; created o1 → reused from r
  read SELECT name FROM accounts WHERE name IS NOT NULL ORDER BY number → eu, us
  read SELECT DISTINCT address FROM accounts → orders.example/shop

  == letter case does not hide a limit
  ${placed}; limit day 30 ${shop} name=eu; confirm o1 ${upper} name=EU; limits ${shop} name=eu → day 30 USD eu
  spent ${shop} name=eu → 25; unlimit day ${shop} name=eu; limits ${shop} name=eu
  `,
)
