// The tables of approvals in PostgreSQL, and the triggers that sign their rows.

type Types = {
  /** The declaration of a primary key that the database numbers. */
  readonly number: string
  readonly text: string
}

// The roles and times come from the server, whatever the client sends, so that nobody approves their own batch. The
// functions name the schema of each table: a temporary table of the same name must not replace it. A search_path that
// omits pg_temp looks there first, so that a temporary type named text, with a cast of its own, would replace the role.
export const createApprovals = ({ number, text }: Types): string => `
ALTER TABLE batches ADD COLUMN role ${text} NOT NULL DEFAULT session_user;

-- The last cap that somebody asked for.
CREATE TABLE approval_requests (
  batch BIGINT PRIMARY KEY REFERENCES batches ON DELETE CASCADE,
  plan_id ${text} NOT NULL,
  cap ${text} NOT NULL,
  actor BIGINT REFERENCES actors,
  role ${text} NOT NULL DEFAULT session_user,
  asked_at BIGINT NOT NULL DEFAULT 0
);

CREATE TABLE approvals (
  number ${number},
  -- A plan that is replaced takes its approvals along, although no role may delete them.
  batch BIGINT NOT NULL REFERENCES batches ON DELETE CASCADE,
  -- The plan that was approved.
  plan_id ${text} NOT NULL,
  cap ${text} NOT NULL,
  actor BIGINT REFERENCES actors,
  role ${text} NOT NULL DEFAULT session_user,
  planned_by ${text} NOT NULL DEFAULT '',
  asked_by ${text} NOT NULL DEFAULT '',
  approved_at BIGINT NOT NULL DEFAULT 0,
  until BIGINT NOT NULL,
  CONSTRAINT approved_by_another CHECK (role <> planned_by AND role <> asked_by)
);
CREATE INDEX approvals_by_batch ON approvals (batch);

-- An approval with a row here is not valid any more.
CREATE TABLE withdrawals (
  approval BIGINT PRIMARY KEY REFERENCES approvals ON DELETE CASCADE,
  actor BIGINT REFERENCES actors,
  role ${text} NOT NULL DEFAULT session_user,
  approved_by ${text} NOT NULL DEFAULT '',
  withdrawn_at BIGINT NOT NULL DEFAULT 0,
  CONSTRAINT withdrawn_by_approver CHECK (role = approved_by)
);

CREATE FUNCTION keep_role() RETURNS trigger LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  NEW.role := CASE TG_OP WHEN 'INSERT' THEN session_user::text ELSE OLD.role END;
  RETURN NEW;
END $$;
CREATE TRIGGER batches_keep_role BEFORE INSERT OR UPDATE ON batches
  FOR EACH ROW EXECUTE FUNCTION keep_role();

CREATE FUNCTION sign_request() RETURNS trigger LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  NEW.role := session_user::text;
  NEW.asked_at := (extract(epoch FROM clock_timestamp()) * 1000)::bigint;
  RETURN NEW;
END $$;
CREATE TRIGGER requests_sign BEFORE INSERT OR UPDATE ON approval_requests
  FOR EACH ROW EXECUTE FUNCTION sign_request();

CREATE FUNCTION sign_approval() RETURNS trigger LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF TG_OP = 'UPDATE' THEN
    RAISE EXCEPTION 'cannot change an approval';
  END IF;
  NEW.role := session_user::text;
  EXECUTE format('SELECT role FROM %I.batches WHERE number = $1', TG_TABLE_SCHEMA)
    INTO NEW.planned_by USING NEW.batch;
  EXECUTE format('SELECT role FROM %I.approval_requests WHERE batch = $1', TG_TABLE_SCHEMA)
    INTO NEW.asked_by USING NEW.batch;
  NEW.asked_by := coalesce(NEW.asked_by, NEW.planned_by);
  NEW.approved_at := (extract(epoch FROM clock_timestamp()) * 1000)::bigint;
  RETURN NEW;
END $$;
CREATE TRIGGER approvals_sign BEFORE INSERT OR UPDATE ON approvals
  FOR EACH ROW EXECUTE FUNCTION sign_approval();

CREATE FUNCTION sign_withdrawal() RETURNS trigger LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF TG_OP = 'UPDATE' THEN
    RAISE EXCEPTION 'cannot change a withdrawal';
  END IF;
  NEW.role := session_user::text;
  EXECUTE format('SELECT role FROM %I.approvals WHERE number = $1', TG_TABLE_SCHEMA)
    INTO NEW.approved_by USING NEW.approval;
  NEW.withdrawn_at := (extract(epoch FROM clock_timestamp()) * 1000)::bigint;
  RETURN NEW;
END $$;
CREATE TRIGGER withdrawals_sign BEFORE INSERT OR UPDATE ON withdrawals
  FOR EACH ROW EXECUTE FUNCTION sign_withdrawal();
`
