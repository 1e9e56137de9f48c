# Prints what openpyxl shows of the workbooks of odd-workbooks.ts, a line of JSON for each:
#   node odd-workbooks.ts FOLDER && python3 odd-workbooks.py FOLDER > odd-workbooks.jsonl
import datetime, json, sys
import openpyxl


def is_below(size, least):
    return size is not None and size < least


def text(value):
    if value is None:
        return ""
    if isinstance(value, bool):
        return str(value).upper()
    if isinstance(value, datetime.datetime):
        return value.date().isoformat()
    return "%.15g" % value if isinstance(value, (int, float)) else value


def show(file):
    book = openpyxl.load_workbook(file, data_only=True)
    sheet = next(each for each in book.worksheets if each.sheet_state == "visible")
    hidden = set()
    for column in sheet.column_dimensions.values():
        if column.hidden or is_below(column.width, 0.5):
            hidden.update(range(column.min, min(column.max, 100) + 1))
    if sheet.sheet_format.zeroHeight:
        return []
    header, lines = None, []
    for cells in sheet.iter_rows():
        row = sheet.row_dimensions[cells[0].row]
        values = [text(None if cell.column in hidden else cell.value) for cell in cells]
        if row.hidden or is_below(row.ht, 3) or not any(value.strip() for value in values):
            continue
        if header is None:
            header = values
            continue
        of = dict(zip(header, values))
        sku, quote, quantity = (of.get(name, "").strip() for name in ("sku", "quote", "quantity"))
        lines.append(f"{cells[0].row}: {sku}:{quote}x{quantity or 1}/fixed | {of.get('note', '')}")
    return lines


for index in range(100):
    try:
        shown = show(f"{sys.argv[1]}/{index}.xlsx")
    except Exception as error:
        shown = type(error).__name__
    print(json.dumps(shown, ensure_ascii=False))
