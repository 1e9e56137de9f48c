// The triggers in PostgreSQL that refuse changes to the saved plan of a batch, even if a role uses psql.

type Types = { readonly text: string }

// A restored server may reuse the number of a transaction, so the time is part of the id.
const thisTransaction = "concat_ws(' ', pg_current_xact_id(), extract(epoch FROM transaction_timestamp()))"

const planned = `number, account, profile, origin, id, demand, name, name_fold, wallet, columns, header, card_key, planned_at,
  planned_in, actor`

// The functions name the schema of each table, as those of the approvals do.
export const createPlanGuards = ({ text }: Types): string => `
-- The transaction that saved the plan. Only this transaction may add rows and cards.
ALTER TABLE batches ADD COLUMN planned_in ${text} NOT NULL DEFAULT '';

CREATE FUNCTION sign_plan() RETURNS trigger LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  NEW.planned_in := ${thisTransaction};
  RETURN NEW;
END $$;
CREATE TRIGGER batches_sign_plan BEFORE INSERT ON batches FOR EACH ROW EXECUTE FUNCTION sign_plan();

CREATE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  RAISE EXCEPTION 'cannot change %', TG_ARGV[0];
END $$;
CREATE TRIGGER batches_never_change BEFORE UPDATE OF ${planned} ON batches
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change('a saved plan');
CREATE TRIGGER rows_never_change BEFORE UPDATE ON batch_rows
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change('a row of a saved plan');
CREATE TRIGGER cards_never_change BEFORE UPDATE OF batch, card, row ON batch_cards
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change('the row of a card');
CREATE TRIGGER delivered_never_change BEFORE UPDATE ON batch_cards
  FOR EACH ROW WHEN (OLD.state = 'delivered') EXECUTE FUNCTION refuse_change('a delivered card');

CREATE FUNCTION refuse_late_rows() RETURNS trigger LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  is_late boolean;
BEGIN
  EXECUTE format('SELECT EXISTS (SELECT FROM added WHERE NOT EXISTS (
      SELECT FROM %I.batches WHERE number = added.batch AND planned_in = $1))', TG_TABLE_SCHEMA)
    INTO is_late USING ${thisTransaction};
  IF is_late THEN
    RAISE EXCEPTION 'cannot add rows or cards to a saved plan';
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER rows_are_planned AFTER INSERT ON batch_rows REFERENCING NEW TABLE AS added
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_late_rows();
CREATE TRIGGER cards_are_planned AFTER INSERT ON batch_cards REFERENCING NEW TABLE AS added
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_late_rows();

-- An order that leaves its batch would count against no cap.
CREATE TRIGGER orders_never_change BEFORE UPDATE OF number, account, reference, reference_fold ON orders
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change('the account or reference of an order');
-- journal copy may fill in a request, batch or slot that this journal does not have.
CREATE TRIGGER slots_of_orders_never_change BEFORE UPDATE OF request, batch, slot ON orders
  FOR EACH ROW WHEN (coalesce(OLD.request <> NEW.request, OLD.request IS NOT NULL AND NEW.request IS NULL)
    OR coalesce(OLD.batch <> NEW.batch, OLD.batch IS NOT NULL AND NEW.batch IS NULL)
    OR coalesce(OLD.slot <> NEW.slot, OLD.slot IS NOT NULL AND NEW.slot IS NULL))
  EXECUTE FUNCTION refuse_change('the request, batch or slot of an order');
`
