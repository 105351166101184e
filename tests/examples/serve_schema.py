"""Whether lines of heeler-serve are what protocol.schema.json says of them: as much of JSON Schema as that file uses."""
import json
import os

with open(os.path.dirname(os.path.abspath(__file__)) + "/../../examples/serve/protocol.schema.json") as _file:
    SCHEMA = json.load(_file)
DEFS = SCHEMA["$defs"]
TYPES = {"string": str, "integer": int, "number": (int, float), "boolean": bool, "array": list, "object": dict,
         "null": type(None)}
KINDS = [each["$ref"].removeprefix("#/$defs/") for each in DEFS["said_by_server"]["anyOf"]]
#: Keys that were heard, by kind of line; of an object in a line as `its key.key`.
heard = {}


def is_a(name, value):
    return isinstance(value, TYPES[name]) and (name == "boolean" or not isinstance(value, bool))


def faults(value, schema, where="the line"):
    """Why it does not fit, of several schemas to the one that it fits best; nothing: it does."""
    unknown = set(schema) - {"$ref", "anyOf", "type", "enum", "const", "minimum", "maximum", "items", "properties",
                             "required", "additionalProperties"}
    assert not unknown, f"{unknown} of the schema is looked at by nobody"
    if "$ref" in schema:
        return faults(value, DEFS[schema["$ref"].removeprefix("#/$defs/")], where)
    if "anyOf" in schema:
        return min((faults(value, each, where) for each in schema["anyOf"]), key=len)
    types = schema.get("type", list(TYPES))
    if not any(is_a(name, value) for name in ([types] if isinstance(types, str) else types)):
        return [f"{where} is {value!r}, and no {types}"]
    wrong = []
    if value not in schema.get("enum", [value]) or value != schema.get("const", value):
        wrong.append(f"{where} is {value!r}, and none of {schema.get('enum', schema.get('const'))}")
    if is_a("number", value) and not schema.get("minimum", value) <= value <= schema.get("maximum", value):
        wrong.append(f"{where} is {value}, outside its limits")
    if isinstance(value, list):
        wrong += [fault for each in value for fault in faults(each, schema.get("items", {}), where + "[]")]
    if isinstance(value, dict):
        known, rest = schema.get("properties", {}), schema.get("additionalProperties", True)
        wrong += [f"{where} has no {key!r}" for key in schema.get("required", []) if key not in value]
        for key, each in value.items():
            if key not in known and rest is False:
                wrong.append(f"{where} has {key!r}, which is not declared")
            else:
                wrong += faults(each, known.get(key, {} if rest is True else rest), f"{where}.{key}")
    return wrong


def named(keys, within):
    """These keys of objects, and those that `within` finds in each."""
    for key, each in keys.items():
        yield key
        yield from (f"{key}.{inner}" for inner in named(within(each), within))


def fits(message, kinds):
    """It is a line of one of these kinds."""
    wrong = {}
    for kind in kinds:
        wrong[kind] = faults(message, DEFS[kind])
        if not wrong[kind]:
            break
    kind = min(wrong, key=lambda each: len(wrong[each]))
    assert not wrong[kind], f"{json.dumps(message)}: {kind}: {'; '.join(wrong[kind])}"
    heard.setdefault(kind, set()).update(named(message, lambda each: each if isinstance(each, dict) else {}))
    return message


def told(line):
    """What the server said in this line, as it was read: one that it may say."""
    return fits(json.loads(line), KINDS)


def answered(operation, message):
    """An answer to this operation, or an error."""
    return fits(message, ["refusal" if "error" in message else "answer_to_" + operation])


def unheard(*kinds):
    """What is declared of these kinds of lines, and was in none that was told."""
    return [f"{kind}: {key}" for kind in kinds for key in named(DEFS[kind]["properties"], lambda each: each.get("properties", {}))
            if key not in heard.get(kind, ())]
